"""Stopping between two steps when a person (Ctrl-C) or a scheduler (SIGTERM) asks for it, with everything saved."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any, Self

from transformers import TrainerCallback


class Interrupt:
    """While active, the first signal is noted for the trainer to act on; a second Ctrl-C stops at once.

    Args:
        say: Told what is going to happen.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.requested = False
        self._say = say
        self._before: dict[int, Any] = {}
        self._process = os.getpid()

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._process:
            # A process that prepares batches inherits the handler; Ctrl-C reaches it while the trainer still needs it.
            if number == signal.SIGTERM:
                signal.signal(number, signal.SIG_DFL)
                os.kill(os.getpid(), number)
            return
        if self.requested and number == signal.SIGINT:
            raise KeyboardInterrupt
        self.requested = True
        self._say("Stopping after this step with a checkpoint; Ctrl-C once more stops without one.")


def _anywhere(requested: bool, args: Any) -> bool:
    """Whether any process was asked to stop: all must stop at the same step, or they wait for each other for ever."""
    if args.world_size == 1:
        return requested
    import torch

    flag = torch.tensor(float(requested), device=args.device)
    torch.distributed.all_reduce(flag, op=torch.distributed.ReduceOp.MAX)
    return bool(flag)


class StopOnInterrupt(TrainerCallback):
    """Makes the trainer save a checkpoint and end when an interrupt was requested.

    Args:
        interrupt: Says so.
        every: Checkpoints are of use only after so many steps, or a multiple.
    """

    def __init__(self, interrupt: Interrupt, every: int = 1) -> None:
        self.interrupt = interrupt
        self.every = every

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        """Called by the trainer after each optimiser step."""
        if state.global_step % self.every == 0 and _anywhere(self.interrupt.requested, args):
            self.interrupt.requested = True
            control.should_save = True
            control.should_training_stop = True
        return control
