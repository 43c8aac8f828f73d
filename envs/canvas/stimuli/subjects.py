"""What to draw when the subject is given (``subject="listed"``): one target for each task.

With the subject settled, a drawing shows how well an agent draws and builds a shape in, apart from what it comes up
with (PainterBench's oracle condition, section 4.4). The targets of the bank are chosen by hand: each can grow out of
its shape, and no object is its own target. Generated stimuli get one by their id, out of a list without their objects.
"""

from __future__ import annotations

import hashlib

BANK_SUBJECTS: dict[str, str] = {
    "is01": "a rowing boat",
    "is02": "a sledge",
    "is03": "a dragon",
    "is04": "a sea serpent",
    "is05": "a snail",
    "is06": "a toucan",
    "is07": "a zebra",
    "is08": "a swan",
    "is09": "an astronaut",
    "is10": "a lighthouse",
    "is11": "a camel",
    "is12": "a robot",
    "is13": "an owl on a branch",
    "is14": "a whale",
    "is15": "a tortoise",
    "is16": "a rooster",
    "is17": "a caterpillar",
    "is18": "a peacock",
    "is19": "a scarecrow",
    "is20": "a castle",
    "ot01": "a bicycle",
    "ot02": "a rabbit",
    "ot03": "a jellyfish",
    "ot04": "a locomotive",
    "ot05": "a hot-air balloon",
    "ot06": "an aquarium",
    "ot07": "a ballerina",
    "ot08": "a penguin",
    "ot09": "a woodpecker",
    "ot10": "an elephant",
}
"""Target of each stimulus of the bank."""

SUBJECTS: tuple[str, ...] = (
    "a windmill",
    "a giraffe",
    "a submarine",
    "a butterfly",
    "a violin",
    "a crocodile",
    "a bridge over a river",
    "a hedgehog",
    "a wizard",
    "a motorbike",
    "an octopus",
    "a grandfather clock",
    "a squirrel",
    "a helicopter",
    "a flamingo",
    "a treehouse",
    "a snowman",
    "a lobster",
    "a tractor",
    "a ladybird",
    "a mermaid",
    "a steamship",
    "a kangaroo",
    "a teapot",
    "a bat",
    "a clown",
    "a piano",
    "a seahorse",
    "a volcano",
    "a cat asleep",
    "a knight in armour",
    "a spider in its web",
    "a carousel",
    "a parrot",
    "a dinosaur",
    "an accordion",
    "a fox",
    "a lawnmower",
    "a beehive",
    "a telescope",
    "a horse",
    "a waterfall",
    "a double-decker bus",
    "a frog",
    "a desk lamp",
    "a pirate",
    "a sunflower",
    "a tap dripping",
    "a crab",
    "an armchair",
    "a roller coaster",
    "a bear",
    "a saxophone",
    "a tram",
    "a goose",
    "a fountain",
    "a chameleon",
    "an aeroplane",
    "a cook",
    "a pair of skates",
)
"""Targets of generated stimuli."""


def subject_of(task_id: str) -> str:
    """What to draw in a task, as a noun phrase such as ``"a snail"``; a pure function of the id."""
    if task_id in BANK_SUBJECTS:
        return BANK_SUBJECTS[task_id]
    digest = hashlib.sha256(f"canvas/subject/{task_id}".encode()).digest()
    return SUBJECTS[int.from_bytes(digest[:8]) % len(SUBJECTS)]
