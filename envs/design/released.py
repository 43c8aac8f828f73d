"""Tasks out of GraphicBench's released files, see ``briefs/release.py``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from designgym.envs.design.briefs.brief import Brief, BriefImage
from designgym.envs.design.briefs.pairing import fitting
from designgym.envs.design.briefs.release import Release, read_release
from designgym.envs.design.briefs.released_rows import image_path_name
from designgym.envs.design.generated import PICTURE_PX, task_of
from designgym.envs.design.sandbox import File
from designgym.envs.design.task import Task
from designgym.errors import UserError
from designgym.pool.pool import ImagePool
from designgym.tasks import Split


class ReleasedTasks:
    """The released briefs with our questions about them.

    The release has addresses of images and no images. Those that lie anywhere in the folder, under the name at the end
    of their address, are handed out. For others a picture of ``pool`` with like words stands in; without a pool the
    picture is not asked about, though the query still names it. Both are noted in ``release.skipped.notes``.

    Args:
        path: The folder of the released files.
        strict: Stop at the first record that cannot be used, and at the first image that is not there.
        pool: Where pictures come from whose files are not there.

    Attributes:
        release: All that was read, with what was left out, and the released questions.

    Raises:
        UserError: If no brief can be used.
        BrokenRecord: If ``strict``.
    """

    def __init__(self, path: str | Path, *, strict: bool = False, pool: ImagePool | None = None) -> None:
        root = Path(path)
        self.release: Release = read_release(root, strict=strict)
        self._pool = pool
        folder = root.parent if root.is_file() else root
        self._files = {file.name: file for file in sorted(folder.rglob("*"), reverse=True) if file.is_file()}
        digest = hashlib.sha256()
        self._briefs: dict[str, Brief] = {}
        for id, brief in self.release.briefs.items():
            digest.update(repr(brief).encode())
            parts = [
                (visual, self._found(id, image)) for visual, image in zip(brief.visuals, brief.images, strict=True)
            ]
            shown = [(visual, image) for visual, image in parts if image is not None]
            self._briefs[id] = replace(
                brief, visuals=tuple(visual for visual, _ in shown), images=tuple(image for _, image in shown)
            )
            for _, image in shown:
                digest.update(image.picture.encode() or self._data(image))
        self.name = f"released:{digest.hexdigest()[:12]}"

    def ids(self, split: Split) -> Sequence[str]:
        """See ``TaskSource.ids``."""
        return self.release.ids(split)

    def type_of(self, id: str) -> str:
        """See ``TaskSource.type_of``."""
        return self._brief(id).type

    def task(self, id: str) -> Task:
        """See ``TaskSource.task``."""
        brief = self._brief(id)
        return task_of(brief, tuple(File(image.file, self._data(image), image.caption) for image in brief.images))

    def _brief(self, id: str) -> Brief:
        if id not in self._briefs:
            raise UserError(f"There is no brief {id!r} among the {len(self._briefs)} that were read.")
        return self._briefs[id]

    def _found(self, id: str, image: BriefImage) -> BriefImage | None:
        """The image, or what stands in for it; None if there is neither."""
        if image_path_name(image.url) in self._files:
            return image
        hashable: Any = self._pool  # mypy takes protocols for unhashable
        like = fitting(hashable, image.caption) if self._pool is not None else ()
        if not like:
            self.release.skipped.part(f"{id}, {image.file}", f"there is no file {image_path_name(image.url)!r}.")
            return None
        self.release.skipped.part(f"{id}, {image.file}", f"{like[0].id} of {like[0].caption!r} stands in for its file.")
        stem = image.file.rpartition(".")[0]
        return replace(image, file=f"{stem}.png", caption=like[0].caption, picture=like[0].id)

    def _data(self, image: BriefImage) -> bytes:
        if image.picture and self._pool is not None:
            return self._pool.png(image.picture, PICTURE_PX)
        return self._files[image_path_name(image.url)].read_bytes()
