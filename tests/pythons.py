"""Run the quick tests with every interpreter of the machine: ``make release``."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
# An interpreter must not find the packages of another one.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


def interpreter(version):
    """Return the command of an interpreter, or None if the machine doesn't have it."""
    versions = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    paths = [shutil.which(f"python{version}"), *sorted(versions.glob(f"{version}.*/bin/python"))]
    for path in filter(None, paths):
        # pyenv has a command for each version, and some of them don't start.
        if subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode == 0:
            return str(path)
    return None


def passes(version, path, pytest_arguments):
    """Install receval into an environment of its own, and return whether the tests pass there."""
    print(f"Python {version}: {path}", flush=True)
    folder = ROOT / "build" / "pythons" / version
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    commands = [
        [path, "-m", "venv", "--clear", folder],
        [python, "-m", "pip", "install", "--quiet", "--editable", ".[test,scale]"],
        [python, "-m", "pytest", "-p", "no:cacheprovider", *pytest_arguments],
    ]
    return all(
        subprocess.run(command, check=False, cwd=ROOT, env=ENVIRONMENT).returncode == 0
        for command in commands
    )


def main(pytest_arguments):
    """Return 1 if the tests fail with an interpreter that the machine has, otherwise 0."""
    paths = {version: interpreter(version) for version in VERSIONS}
    absent = [version for version, path in paths.items() if path is None]
    failed = [
        version
        for version, path in paths.items()
        if path is not None and not passes(version, path, pytest_arguments)
    ]
    print(f"failed: {', '.join(failed) or 'none'}; not here: {', '.join(absent) or 'none'}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
