"""Marks for tests that need something which some operating systems don't have.

pytest reports the name of each skipped test with the reason (``-rs``).
"""

import os
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest


def can_make_links():
    """Return whether this user may make symbolic links; on Windows that is a privilege."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            Path(folder, "link").symlink_to("nothing")
        except (OSError, NotImplementedError):
            return False
    return True


def can_name_files(name):
    """Return whether files can have a name; with the encoding ASCII they can't be called "é"."""
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


IS_WINDOWS = sys.platform == "win32"

needs_links = pytest.mark.skipif(not can_make_links(), reason="needs symbolic links")
needs_accents_in_names = pytest.mark.skipif(
    not can_name_files("é"), reason="needs file names with accents"
)
needs_limits = pytest.mark.skipif(
    find_spec("resource") is None, reason="needs limits of memory and time (the module resource)"
)
needs_linux_counts = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs the memory counts of Linux (/proc)"
)
needs_named_pipes = pytest.mark.skipif(
    not hasattr(os, "mkfifo"), reason="needs named pipes (os.mkfifo)"
)
needs_devices = pytest.mark.skipif(
    not Path("/dev/stdout").exists(), reason="needs devices with a path, such as /dev/stdout"
)
needs_signals = pytest.mark.skipif(IS_WINDOWS, reason="needs the signals of POSIX")
