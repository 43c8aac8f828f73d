"""Makes what of the documentation is derived from the code: environment pages, the README's tables, pictures.

    python docs/build.py            # writes what is out of date
    python docs/build.py --check    # writes nothing; exits with 1 if something is out of date

A page of an environment is its class docstring, then tables from its tools, rewards and arguments. In ``README.md`` the
blocks between ``<!-- name -->`` and ``<!-- /name -->`` are filled in.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import action_pictures
import aesthetics_pages
import canvas_pictures
import gymnasium as gym
import pictures
from tables import agents_table, environments_table, link, quickstart_table, rewards_table

from designgym.env import DesignEnv
from designgym.envs.aesthetics.settings import Settings
from designgym.envs.canvas.condition import Condition
from designgym.envs.canvas.stimuli.stimulus import stimulus_ids
from designgym.envs.design.env import DesignActions
from designgym.envs.design.settings import DesignSettings
from designgym.registration import ENTRY_POINTS
from designgym.rewards import REWARDS, resolve
from designgym.rewards.base import UnsuitableReward
from designgym.tasks import SPLITS

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent

README_BLOCKS: dict[str, Callable[[], str]] = {
    "environments": environments_table,
    "rewards": rewards_table,
    "agents": agents_table,
    "quickstart-settings": quickstart_table,
}

NOTE = "<!-- Made by docs/build.py from the code. Edit the docstring of the environment, not this file. -->\n"


def environment_page(env_id: str) -> str:
    """The page of an environment, Markdown."""
    env: Any = gym.make(env_id).unwrapped
    text = inspect.getdoc(type(env)) or ""
    about, heading, history = markdown(text).partition("## Version history")
    sections = [
        f"{NOTE}\n# {env_id}\n\n{about.strip()}",
        f"### All arguments\n\n{arguments_table(type(env))}",
        f"## Tools\n\n{env.tool_table.markdown()}",
        f"## Spaces and splits\n\n{spaces(env)}",
        f"## Rewards that score it\n\n{rewards_table(suitable(env))}",
        *(section() for name, section in OWN_SECTIONS.items() if name == env_id),
        f"{heading}{history}",
    ]
    return "\n\n".join(section.strip() for section in sections) + "\n"


def markdown(docstring: str) -> str:
    """A docstring with its references to code as plain code."""
    return re.sub(r":(?:class|func|meth|mod|data):`~?([^`]+)`", r"`\1`", docstring).replace("``", "`")


def arguments_table(cls: type[DesignEnv[Any]]) -> str:
    """Every keyword of ``gym.make`` with its default; meanings out of the docstrings that document them."""
    known = documented(DesignEnv, "Args") | documented(Settings, "Attributes") | documented(Condition, "Attributes")
    if issubclass(cls, DesignActions):  # the size of its picture has another range
        known |= documented(DesignSettings, "Attributes")
    rows = ["| argument | default | meaning |", "|---|---|---|"]
    for name, parameter in inspect.signature(cls.__init__).parameters.items():
        if name != "self":
            shown = repr(parameter.default).replace("|", "\\|")
            rows.append(f"| `{name}` | `{shown}` | {markdown(known.get(name, 'See above.'))} |")
    return "\n".join(rows)


def documented(cls: type[Any], section: str) -> dict[str, str]:
    """Name and meaning of the entries in a section of a Google-style docstring."""
    _, _, rest = (inspect.getdoc(cls) or "").partition(f"{section}:\n")
    found: dict[str, str] = {}
    name = ""
    for line in rest.split("\n"):
        entry = re.match(r"    (\w+): (.*)", line)
        if entry:
            name = entry[1]
            found[name] = entry[2]
        elif name and line.startswith("     "):
            found[name] += " " + line.strip()
        elif line.strip():
            break
    return found


def spaces(env: Any) -> str:
    """Spaces and the number of tasks of each split."""
    lines = [f"- observation: `{env.observation_space}`", f"- action: `{env.action_space}`"]
    for split in SPLITS:
        ids = env.task_ids(split)
        lines.append(f"- {split}: {len(ids):,} tasks, `{ids[0]}` to `{ids[-1]}`")
    return "\n".join(lines)


def suitable(env: Any) -> list[str]:
    """Names of the rewards that can score an environment."""
    env.reset(seed=0)
    found = []
    for name in sorted(REWARDS):
        try:
            resolve(name).score(env.episode())
        except UnsuitableReward:
            continue
        found.append(name)
    return found


def shapes_section() -> str:
    """Shapes, tools, renderers and conditions of canvas drawing: a text of its own, with the numbers filled in."""
    text = (DOCS / "parts" / "canvas-drawing.md").read_text(encoding="utf-8")
    for split in ("train", "validation"):
        text = text.replace(f"<{split}>", f"{len(stimulus_ids(split)):,}")
    return text


OWN_SECTIONS: dict[str, Callable[[], str]] = {
    "designgym/AestheticJudgment-v0": lambda: aesthetics_pages.section("judgment"),
    "designgym/RegionSelection-v0": lambda: aesthetics_pages.section("selection"),
    "designgym/AestheticLocalization-v0": lambda: (
        f"{aesthetics_pages.section('localization')}\n\n{aesthetics_pages.simple_pages()}"
    ),
    "designgym/CanvasDrawing-v0": shapes_section,
    "designgym/DesignActions-v0": action_pictures.section,
}
"""What the page of an environment has beside the sections that all have."""


def filled(text: str, blocks: dict[str, Callable[[], str]]) -> str:
    """A Markdown text with its marked blocks filled.

    Raises:
        ValueError: If a block is not marked exactly once.
    """
    for name, content in blocks.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        if len(pattern.findall(text)) != 1:
            raise ValueError(f"README.md must hold '<!-- {name} -->' and '<!-- /{name} -->' once, a line each.")
        made = content().strip()
        text = pattern.sub(lambda found, made=made: f"{found[1]}\n{made}\n\n{found[2]}", text)  # type: ignore[misc]
    return text


def texts() -> Iterator[tuple[Path, str]]:
    """Every derived text and where it belongs."""
    for env_id in ENTRY_POINTS:
        yield ROOT / link(env_id), environment_page(env_id)
    readme = ROOT / "README.md"
    yield readme, filled(readme.read_text(encoding="utf-8"), README_BLOCKS)


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if something is out of date")
    check = parser.parse_args().check
    changed: list[Path] = []
    for path, text in texts():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            changed.append(path)
            if not check:
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
    makers = (pictures, aesthetics_pages, canvas_pictures, action_pictures)
    for name, picture in (made for maker in makers for made in maker.pictures()):
        path = DOCS / "img" / name
        if not pictures.same(path, picture):
            changed.append(path)
            if not check:
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(pictures.png(picture))
    for path in changed:
        print(f"{path.relative_to(ROOT)} {'is out of date; run: python docs/build.py' if check else 'written'}")
    return 1 if check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
