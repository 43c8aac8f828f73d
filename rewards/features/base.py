"""What a backbone is to the rest: it names itself and its weights, and turns images into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from designgym.errors import UserError
from designgym.rewards.features.images import Image8
from designgym.score import Backend

SPREAD = 2000.0
"""Mean squared distance of two unlike drawings to which features are scaled that have no scale of their own. A kernel
with the paper's gamma of 1e-5 then is near to linear, and gammas around it are where to look."""


class FeaturesError(UserError, ValueError):
    """Features that do not exist, or whose weights are not there."""


@runtime_checkable
class Features(Protocol):
    """A frozen backbone. Deterministic, picklable, and loads heavy things where it first needs them."""

    @property
    def name(self) -> str:
        """By which a configuration asks for it."""
        ...

    @property
    def backend(self) -> Backend:
        """Its name, a version that counts changes of its vectors, and the SHA-256 of its weights, if it has any."""
        ...

    @property
    def size(self) -> int:
        """Length of a vector."""
        ...

    def extract(self, images: Sequence[Image8]) -> NDArray[np.float32]:
        """The vectors of images, float32 n x size.

        The vector of an image does not depend on the images beside it, up to float32 rounding (some 1e-6 of its
        length), for libraries sum in another order when batches have another size.

        Args:
            images: uint8 each, H x W, H x W x 1 or H x W x 3; sizes may differ.

        Raises:
            ImageError: If one of them is no image.
        """
        ...
