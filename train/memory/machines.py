"""The machines that a run is planned for: how many GPUs, how large, and how training is cut over them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast, get_args

from designgym.config_file import find_config, read_document
from designgym.errors import UserError
from designgym.train.model import launch

Sharding = Literal["ddp", "fsdp2", "zero2", "zero3"]
"""How weights, gradients and optimiser states lie over the GPUs: whole on each (``ddp``); gradients and states cut
(DeepSpeed's ``zero2``); all three cut (``fsdp2``, DeepSpeed's ``zero3``)."""

USUAL_GIB = 80.0
"""Memory of a GPU where none is named and none is here."""


@dataclass(frozen=True)
class Machines:
    """GPUs, all alike.

    Attributes:
        gpus: Those of a node; each has a process.
        nodes: Nodes.
        memory_gib: Memory of a GPU, GiB.
        sharding: How training is cut over them.
        told: Where the memory's size comes from, in words.
    """

    gpus: int
    nodes: int
    memory_gib: float
    sharding: Sharding
    told: str

    @property
    def processes(self) -> int:
        """Processes of the run."""
        return self.gpus * self.nodes

    @property
    def launched(self) -> launch.Sharding:
        """What a process of such a run finds out about it (`designgym.train.model.launch`)."""
        told: dict[Sharding, launch.Sharding] = {"ddp": "none", "fsdp2": "fsdp", "zero2": "zero2", "zero3": "zero3"}
        return told[self.sharding]

    @property
    def parts(self) -> tuple[int, int, int]:
        """Into how many parts weights, gradients and optimiser states are cut."""
        n = self.processes
        return {"ddp": (1, 1, 1), "zero2": (1, n, n), "zero3": (n, n, n), "fsdp2": (n, n, n)}[self.sharding]


def machines(
    gpus: int | None, nodes: int | None, memory_gib: float | None, sharding: str | None, accelerate: Path | None
) -> Machines:
    """The machines that the command line describes; what it leaves out comes from accelerate's file, then defaults.

    Args:
        gpus: GPUs of a node.
        nodes: Nodes.
        memory_gib: Memory of a GPU; None takes that of the GPU here, or `USUAL_GIB`.
        sharding: One of `Sharding`.
        accelerate: A file as ``accelerate config`` writes, or a bundled one.

    Raises:
        UserError: For another sharding, or a file that is not accelerate's.
    """
    read = (1, 1, "ddp") if accelerate is None else read_accelerate(accelerate)
    kind = sharding or read[2]
    if kind not in get_args(Sharding):
        raise UserError(f"There is no sharding '{kind}'; there are {', '.join(get_args(Sharding))}.")
    here = _memory_here()
    size, told = (memory_gib, "as told") if memory_gib else (here, "the GPU here") if here else (USUAL_GIB, "assumed")
    return Machines(gpus or read[0], nodes or read[1], size, cast(Sharding, kind), told)


def read_accelerate(path: Path) -> tuple[int, int, Sharding]:
    """GPUs of a node, nodes and sharding of an accelerate configuration.

    Args:
        path: The file, or the name of one that ships with the package, such as ``accelerate/fsdp2``.

    Raises:
        UserError: If it is none, or describes what is not planned here.
    """
    found = find_config(path)
    data: Any = read_document(found, str(path)).data
    if not isinstance(data, dict) or "distributed_type" not in data:
        raise UserError(f"'{path}' is no configuration of accelerate: it has no distributed_type.")
    processes, nodes = int(data.get("num_processes", 1)), int(data.get("num_machines", 1))
    if processes % nodes:
        raise UserError(f"'{path}' spreads {processes} processes over {nodes} machines, which is not even.")
    kind = str(data["distributed_type"]).upper()
    if kind in ("NO", "MULTI_GPU"):
        return processes // nodes, nodes, "ddp"
    if kind == "FSDP":
        if int(data.get("fsdp_config", {}).get("fsdp_version", 1)) != 2:
            raise UserError(f"'{path}' asks for FSDP 1; set fsdp_config.fsdp_version to 2.")
        return processes // nodes, nodes, "fsdp2"
    if kind == "DEEPSPEED":
        stage = int(data.get("deepspeed_config", {}).get("zero_stage", 2))
        if stage in (2, 3):
            return processes // nodes, nodes, "zero2" if stage == 2 else "zero3"
        raise UserError(f"'{path}' asks for DeepSpeed's ZeRO-{stage}; take zero_stage 2 or 3.")
    raise UserError(f"'{path}' has distributed_type {kind}; plans are made for NO, MULTI_GPU, FSDP and DEEPSPEED.")


def _memory_here() -> float | None:
    import torch

    if not torch.cuda.is_available():
        return None
    return float(torch.cuda.get_device_properties(0).total_memory) / 2**30
