"""Dependencies point one way: core <- rewards <- envs <- agents <- eval <- train; the package list equals the tree."""

import ast
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PARTS = ["core", "rewards", "envs", "agents", "eval", "train"]
"""Each may import itself and those before it; entry points that are strings (ids, commands, rewards) do not count."""

HEAVY = {"torch", "transformers", "trl", "peft", "accelerate", "datasets", "wandb", "scipy", "matplotlib", "jinja2"}


def modules():
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.py")):
            yield part, path


def imports(tree, package, *, everywhere=True):
    """Full names of all that a module imports; ``everywhere`` includes imports inside functions."""
    typing_only = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for child in ast.walk(node)
    }
    nodes = ast.walk(tree) if everywhere else _top_level(tree)
    for node in nodes:
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, base]).rstrip(".")
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _top_level(tree):
    """Nodes that are executed when the module is imported: not the bodies of functions."""
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def package_of(part, path):
    inside = path.relative_to(ROOT / part).parent.parts
    return ".".join(["designgym", *([] if part == "core" else [part]), *inside])


def part_of(name):
    """The part of the project that a full name belongs to, or None for other packages."""
    pieces = name.split(".")
    if pieces[0] != "designgym":
        return None
    return pieces[1] if len(pieces) > 1 and pieces[1] in PARTS[1:] else "core"


def test_dependencies_point_one_way():
    wrong = []
    for part, path in modules():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for name in imports(tree, package_of(part, path)):
            target = part_of(name)
            if target is not None and PARTS.index(target) > PARTS.index(part):
                wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    assert wrong == []


def test_the_walk_sees_every_form_of_import():
    tree = ast.parse(
        "import designgym.eval.runner\n"
        "from designgym import train\n"
        "from . import rewards\n"
        "from .agents import base\n"
        "def f():\n    from designgym.envs.aesthetics import env\n"
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import designgym.hidden\n"
    )
    found = set(imports(tree, "designgym"))
    assert {part_of(name) for name in found} == {"eval", "train", "rewards", "agents", "envs", None}
    assert "designgym.hidden" not in found
    assert "designgym.envs.aesthetics.env" not in set(imports(tree, "designgym", everywhere=False))
    assert part_of("designgym.tools.Tool") == "core" and part_of("numpy") is None


def test_the_top_level_folders_are_never_imported_by_their_own_names():
    bare = set(PARTS) | {"configs"}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for part, path in [*modules(), *(("tests", path) for path in (ROOT / "tests").glob("*.py"))]
        for name in imports(
            ast.parse(path.read_text(encoding="utf-8")), "tests" if part == "tests" else package_of(part, path)
        )
        if name.split(".")[0] in bare
    ]
    assert wrong == []


@pytest.mark.parametrize("part", ["core", "rewards", "envs"])
def test_what_every_user_imports_needs_no_extra(part):
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for owner, path in modules()
        if owner == part
        for name in imports(ast.parse(path.read_text(encoding="utf-8")), package_of(part, path), everywhere=False)
        if name.split(".")[0] in HEAVY
    ]
    assert wrong == []


def test_the_package_list_equals_the_tree():
    setup = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    tree = {package_of(part, path) for part in [*PARTS, "configs"] for path in (ROOT / part).rglob("__init__.py")}
    assert sorted(setup["packages"]) == sorted(tree)
    assert setup["package-dir"] == {
        "designgym": "core",
        **{f"designgym.{part}": part for part in [*PARTS[1:], "configs"]},
    }


def test_every_folder_of_modules_is_a_package():
    lonely = {path.parent for _, path in modules() if not (path.parent / "__init__.py").exists()}
    assert lonely == set()
