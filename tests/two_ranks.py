"""Running a script of this folder in two processes that train together, as torchrun starts them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path


def _end(process: subprocess.Popen[str]) -> None:
    """End torchrun and its workers, which have sessions of their own."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    for each in (process.pid, *map(int, children)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(each, signal.SIGKILL)


def launch(script: str, *arguments: str, seconds: float = 300) -> tuple[int, str]:
    """Run a script in two processes; whatever hangs is ended.

    Args:
        script: A file of this folder.
        arguments: Its arguments.
        seconds: Longest time.

    Returns:
        The exit code and what was printed; after the longest time ``-1``.
    """
    here = Path(__file__).parent
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"),
        *(str(here / script), *arguments),
    ]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join([str(here), *sys.path[1:]])}
    environment |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "GLOO_SOCKET_IFNAME": "lo"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True
    )
    try:
        printed, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        printed, _ = process.communicate()
        return -1, printed
    return process.returncode, printed
