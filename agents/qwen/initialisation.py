"""Weights by formula, for a tiny model that is trained too shortly to learn such things itself.

None of it knows of designs, flaws or boxes. Which of the parts are needed was not measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch


def colour_filters(count: int, patch_size: int) -> torch.Tensor:
    """Patch filters: two-dimensional cosines of rising frequency, each for brightness, red-green and yellow-blue.

    Args:
        count: Number of filters.
        patch_size: Side of a patch in px.

    Returns:
        Float tensor (count, 3 colours, 2 frames, patch_size, patch_size), orthogonal to each other.
    """
    place = torch.arange(patch_size, dtype=torch.float32) + 0.5
    waves = torch.stack(
        [torch.cos(math.pi * place * k / patch_size) * (math.sqrt(2) if k else 1) for k in range(patch_size)]
    )
    frequencies = sorted(
        ((row, column) for row in range(patch_size) for column in range(patch_size)), key=lambda f: (f[0] + f[1], f[0])
    )
    opponents = torch.tensor([[0.6, 0.6, 0.6], [2.0, -2.0, 0.0], [-1.0, -1.0, 2.0]])
    filters = torch.empty(count, 3, 2, patch_size, patch_size)
    for index in range(count):
        row, column = frequencies[index // 3]
        pattern = torch.outer(waves[row], waves[column])
        filters[index] = opponents[index % 3][:, None, None, None] * pattern / (2 * patch_size**2)
    return filters


def write_positions(table: torch.Tensor, *, start: int, amplitude: float) -> None:
    """Fill a position table with sinusoids of column and row from a dimension on, and with zeros elsewhere.

    Args:
        table: Positions of a square grid, row by row: (side x side, width); changed in place.
        start: First dimension used; the ones before it belong to the colour filters.
        amplitude: Of the sinusoids.
    """
    side, waves = math.isqrt(len(table)), (table.shape[1] - start) // 4
    frequencies = math.pi / side ** (torch.arange(waves) / waves)
    rows, columns = torch.meshgrid(torch.arange(side).float(), torch.arange(side).float(), indexing="ij")
    codes = []
    for axis in (columns, rows):
        angles = axis.flatten()[:, None] * frequencies
        codes += [angles.sin(), angles.cos()]
    table.zero_()
    table[:, start : start + 4 * waves] = amplitude * torch.cat(codes, dim=1)


def fourier_features(numbers: Sequence[float], width: int, std: float) -> torch.Tensor:
    """Embeddings (numbers, width) in which near numbers start near each other; the frequencies are drawn at random.

    Args:
        numbers: Coordinates in thousandths.
        width: Width of the embeddings.
        std: Root mean square of their entries.
    """
    frequencies = torch.randn(1, width // 2) / 120  # about one turn over 750 thousandths
    angles = torch.tensor(numbers, dtype=torch.float32)[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=1) * std * math.sqrt(2)
