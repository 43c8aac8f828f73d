"""All sketches, those that the agent likes best first."""

from __future__ import annotations

from designgym.agents.drawing import land, objects_as_animals, objects_as_people, things, water
from designgym.agents.drawing.sketch import Sketch

SKETCHES: tuple[Sketch, ...] = (
    land.CAT,
    land.SNAIL,
    land.SHEEP,
    land.CAMEL,
    land.CHICK,
    land.DRAGON,
    land.CATERPILLAR,
    land.BIRD_ON_A_TWIG,
    water.SAILING_BOAT,
    water.WHALE,
    water.JELLYFISH,
    water.SWAN,
    water.TURTLE,
    water.SHARK,
    water.GOLDFISH,
    water.FISHBONE,
    things.CARROT,
    water.DIVING_FISH,
    things.KITE,
    things.RAIN,
    things.HOUSE_WITH_STEPS,
    things.APPLE,
    things.ROBOT,
    things.CUPCAKE,
    things.RAINBOW,
    things.STILT_HOUSE,
    objects_as_animals.OWL,
    objects_as_people.PROFESSOR,
    objects_as_animals.BUNNY,
    objects_as_people.GIRL_WITH_UMBRELLA,
    objects_as_animals.PELICAN,
    objects_as_people.HOT_AIR_BALLOON,
    objects_as_animals.CAT_IN_A_CUP,
    objects_as_people.PRINCESS,
    objects_as_people.FOOTBALLER,
    objects_as_animals.FLAMINGO,
    objects_as_animals.ELEPHANT,
)
