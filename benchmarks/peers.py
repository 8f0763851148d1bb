"""Separate environments, with pinned versions, for the tools that need another pandas.

python -m benchmarks.peers build/peers
RECEVAL_PEERS=build/peers python -m benchmarks.run
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

PINNED = {  # as in tests/recorded/record.py
    "rectools": ("rectools==0.19.0",),
    "replay": ("replay-rec==0.22.0",),
    "lenskit": ("lenskit==2025.8.1",),
}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, packages in PINNED.items():
        if (folder / name).exists():
            print(f"{folder / name} is there")
            continue
        venv.create(folder / name, with_pip=True)
        python = folder / name / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        print(f"{folder / name}: {', '.join(packages)}")
