"""The tables of operations: those of the training designs, and those kept out of them."""

from __future__ import annotations

from designgym.envs.aesthetics.operations.base import Operation
from designgym.envs.aesthetics.operations.color import COLOR_OPERATIONS
from designgym.envs.aesthetics.operations.compound import COMPOUND_OPERATIONS
from designgym.envs.aesthetics.operations.font import FONT_OPERATIONS
from designgym.envs.aesthetics.operations.graphic import GRAPHIC_OPERATIONS
from designgym.envs.aesthetics.operations.layout import LAYOUT_OPERATIONS

OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (*LAYOUT_OPERATIONS, *FONT_OPERATIONS, *COLOR_OPERATIONS, *GRAPHIC_OPERATIONS)
}
"""Name -> operation: Algorithm 1 of AesEval-Bench and the moves of its showcases."""

OOD_OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in COMPOUND_OPERATIONS}
"""Name -> compound operation, for the out-of-distribution split alone."""
