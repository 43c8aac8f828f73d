"""Carrying out an action: who does it, on which document, and what becomes of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from designgym.envs.design import adjusting, drawing, objects, text
from designgym.envs.design.actions import ACTIONS
from designgym.envs.design.drawing import Edit, color_of
from designgym.envs.design.experts import Expert
from designgym.envs.design.failure import Failed
from designgym.envs.design.importing import import_object
from designgym.envs.design.pages import PAGES
from designgym.envs.design.sandbox import saved
from designgym.envs.design.saving import save
from designgym.envs.design.tools import EXPERT
from designgym.envs.design.workspace import Step, Workspace
from designgym.graphics.document import Document


def set_background(document: Document, arguments: Mapping[str, Any]) -> tuple[Document, str]:
    """Another page colour."""
    color = color_of(arguments)
    return replace(document, background=color), f"The background is {color}."


MAX_SAVES = 20
"""In an episode: pages are large, and making files of them takes its time."""

EDITS: dict[str, Edit] = {
    "SetBackgroundColor": set_background,
    **drawing.EDITS,
    **text.EDITS,
    **objects.EDITS,
    **adjusting.EDITS,
}
"""Action -> what it makes of a document and its arguments; the other actions need files or make documents."""


def perform(workspace: Workspace, action: str, arguments: Mapping[str, Any], description: str = "") -> Step:
    """Carry out an action whose arguments were checked; after a failure nothing has changed.

    Args:
        workspace: Changed in place.
        action: A name of ``ACTIONS``.
        arguments: Every parameter in canonical form, and ``expert`` (None: who acted last).
        description: In the plan's words.
    """
    expert: Expert = arguments.get(EXPERT) or workspace.expert
    parameters = {name: value for name, value in arguments.items() if name != EXPERT}
    try:
        if expert not in ACTIONS[action].experts:
            others = " or ".join(ACTIONS[action].experts)
            raise Failed("invalid_action", f"The {expert} does not have {action}; {others} has. Name the expert.")
        told = _carry_out(workspace, expert, action, parameters)
    except Failed as failure:
        return Step(expert, action, parameters, description, failure.kind, failure.dependency, failure.message)
    workspace.expert = expert
    return Step(expert, action, parameters, description, message=told)


def _carry_out(workspace: Workspace, expert: Expert, action: str, arguments: Mapping[str, Any]) -> str:
    if action == "CreateDocument":
        return _new(workspace, expert, *PAGES[arguments["docType"]])
    if action == "CreateDocumentCustom":
        return _new(workspace, expert, arguments["width"], arguments["height"])
    document = workspace.opened(expert)
    if action == "SaveDocument":
        if workspace.saves >= MAX_SAVES:
            raise Failed("limit", f"Documents were saved {MAX_SAVES} times; they can be no more.")
        file, told = save(document, arguments["fileName"], arguments["format"])
        workspace.files = saved(workspace.files, file)
        if file.shown:
            workspace.pages[file.shown] = document
        workspace.latest = document
        workspace.saves += 1
        return told
    if action == "ImportObject":
        document, told = import_object(document, arguments, workspace.files)
    else:
        document, told = EDITS[action](document, arguments)
    workspace.open[expert] = workspace.latest = document
    return told


def _new(workspace: Workspace, expert: Expert, width: int, height: int) -> str:
    former = workspace.open.get(expert)
    workspace.open[expert] = document = Document(width, height)
    if workspace.latest is None:
        workspace.latest = document
    closed = " The former document was closed; what of it was not saved is gone." if former is not None else ""
    return f"The {expert} has a new document of {width} x {height} px.{closed}"
