"""Install packed wheels into a folder of their own and run a script with them; the machine's torch stays as it is.

    python benchmarks/gpu/bootstrap.py wheels benchmarks/gpu/train.py --out "$OUT"

Nothing is asked of a network, and nothing that the machine has is changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    if len(sys.argv) < 3:
        raise SystemExit("Say where the wheels are and what to run: bootstrap.py WHEELS SCRIPT [ARGUMENTS].")
    wheels, script, *arguments = sys.argv[1:]
    packed = sorted(str(each) for each in Path(wheels).glob("*.whl"))
    if not packed:
        raise SystemExit(f"There are no wheels in '{wheels}'; make them with: python benchmarks/gpu/pack.py {wheels}")
    # dill, by which data sets are fingerprinted, takes packages elsewhere for code of the user and pickles all of it.
    home = str(Path(tempfile.mkdtemp(prefix="designgym-")) / "site-packages")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", home]
    subprocess.run([*pip, *packed], check=True)
    paths = {
        "PYTHONPATH": [home, os.environ.get("PYTHONPATH", "")],
        "LD_LIBRARY_PATH": [str(Path(wheels).resolve() / "libraries"), os.environ.get("LD_LIBRARY_PATH", "")],
    }
    found = {name: os.pathsep.join(filter(None, folders)) for name, folders in paths.items()}
    environment = {**os.environ, **found, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    raise SystemExit(subprocess.run([sys.executable, script, *arguments], env=environment, check=False).returncode)


if __name__ == "__main__":
    main()
