#!/usr/bin/env bash
# Makes the virtual environment that every `make` command runs in. Does nothing, and needs no network, when it is up to date.
#
#   VENV    where it lies (default: .venv in the checkout)
#   PYTHON  the interpreter to make it from (default: the first of python3, python3.13, ... that is new enough)
#   EXTRAS  what is installed with the package (default: train,qlora,tensorboard,eval,chat,ray,scorers,assets,dev)
set -euo pipefail
cd -P "$(dirname "${BASH_SOURCE[0]}")"
VENV="${VENV:-.venv}"
EXTRAS="${EXTRAS:-train,qlora,tensorboard,eval,chat,ray,scorers,assets,dev}"
stamp="$VENV/.set-up-done"

fail() { printf 'set-up: %s\n' "$*" >&2; exit 2; }
say() { printf 'set-up: %s\n' "$*" >&2; }

# What the environment was made from; the path is part of it because an editable installation holds absolute paths.
wanted() { { printf '%s\n' "$PWD" "$EXTRAS" "${PYTHON:-}"; cat pyproject.toml constraints.txt setup.sh; } | cksum; }
up_to_date() { [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(wanted)" ] && "$VENV/bin/python" -c '' 2>/dev/null; }

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }
find_python() {
  if [ -n "${PYTHON:-}" ]; then
    command -v "$PYTHON" >/dev/null || fail "PYTHON=$PYTHON is not a program."
    new_enough "$PYTHON" || fail "PYTHON=$PYTHON is older than Python 3.11."
    echo "$PYTHON"; return
  fi
  local candidate
  for candidate in python3 python3.11 python3.12 python3.13 python3.14; do
    if command -v "$candidate" >/dev/null && new_enough "$candidate"; then echo "$candidate"; return; fi
  done
  fail "no Python 3.11 or newer was found. On Debian: apt-get install python3 python3-venv (or name one: PYTHON=/path/to/python3 make ...)."
}

check_system_libraries() {
  [ "$(uname -s)" = Linux ] || return 0
  local missing
  missing=$("$1" - <<'PY'
import ctypes

packages = {"libGL.so.1": "libgl1", "libEGL.so.1": "libegl1", "libexpat.so.1": "libexpat1"}
for library, package in packages.items():
    try:
        ctypes.CDLL(library)
    except OSError:
        print(f"{library}:{package}")
PY
  )
  [ -z "$missing" ] && return 0
  fail "the renderer (skia) needs $(echo "$missing" | cut -d: -f1 | paste -sd' '), which this machine lacks." \
    "On Debian: apt-get install $(echo "$missing" | cut -d: -f2 | paste -sd' ')"
}

if up_to_date; then exit 0; fi

# Two commands at once: the second one waits here for the first one's environment.
if command -v flock >/dev/null; then
  exec 9<.
  flock -n 9 || { say "waiting for another set-up in this folder"; flock 9; }
  if up_to_date; then exit 0; fi
fi

python=$(find_python)
check_system_libraries "$python"
"$python" -c 'import venv, ensurepip' 2>/dev/null \
  || fail "$python cannot make virtual environments. On Debian: apt-get install python3-venv"

rm -f "$stamp"
if ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1 || ! new_enough "$VENV/bin/python"; then
  say "making $VENV with $("$python" --version)"
  "$python" -m venv --clear "$VENV"
fi
if [ ! -e /dev/nvidiactl ] && [ -z "${PIP_EXTRA_INDEX_URL:-}${PIP_FIND_LINKS:-}${PIP_INDEX_URL:-}" ]; then
  say "this machine has no NVIDIA GPU: PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu make ... saves some GB of CUDA"
fi
say "installing designgym[$EXTRAS] and the pinned packages of constraints.txt (some minutes the first time)"
"$VENV/bin/python" -m pip install --disable-pip-version-check -c constraints.txt -e ".[$EXTRAS]" \
  || fail "pip could not install the packages (see above). The next try goes on from here."
"$VENV/bin/python" -c 'import designgym' || fail "the package was installed but cannot be imported (see above)."
wanted > "$stamp"
say "done: $VENV"
