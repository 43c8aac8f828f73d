"""Which embedded family stands in for a font of Crello that cannot be shipped."""

from __future__ import annotations

import re

from designgym.graphics.fonts import FontError, find_family

# Looked up in order in the folded name; the first hit decides. Names come before the kinds that they would match.
_STAND_INS: tuple[tuple[str, str], ...] = (
    (r"playfair|bodoni|didot|prata|rufina|yeseva|cormorant|cinzel|forum|gilda", "Playfair Display"),
    (r"garamond|crimson|cardo|sorts mill|libre caslon|alegreya(?! sans)|lusitana", "EB Garamond"),
    (
        r"merriweather(?! sans)|lora|noto serif|pt serif|source serif|vollkorn|libre baskerville|arvo|bitter",
        "Merriweather",
    ),
    (r"slab|rokkitt|rockwell|josefin slab|zilla|crete", "Roboto Slab"),
    (r"mono|code|courier|typewriter|cutive|special elite|inconsolata", "Roboto Mono"),
    (r"pacifico|lobster|leckerli|courgette|damion|oleo|fredoka", "Pacifico"),
    (
        r"script|brush|hand|vibes|parisienne|satisfy|cookie|sacramento|allura|tangerine|pinyon|playball|kaushan|"
        r"yellowtail|marck|caveat|amatic|shadows into|indie flower|calligra|signature|dancing|bad script|rouge|italia",
        "Dancing Script",
    ),
    (r"comic|kalam|patrick|gloria|neucha|chewy|bangers|baloo|luckiest", "Comic Neue"),
    (r"bebas|league gothic|six caps|staatliches|big shoulders|fjalla", "Bebas Neue"),
    (r"anton|impact|black ops|bowlby|titan|alfa|ultra|passion|russo|archivo black|bungee", "Anton"),
    (r"abril|chonburi|gravitas|limelight|poiret", "Abril Fatface"),
    (r"oswald|condensed|pathway|archivo narrow|teko|khand|antonio|barlow|yanone|economica|saira", "Oswald"),
    (
        r"montserrat|raleway|gotham|kumbh|red hat|metropolis|syncopate|questrial|comfortaa|quicksand|didact",
        "Montserrat",
    ),
    (r"poppins|josefin sans|jost|futura|nunito|varela|rubik|kollektif|league spartan|glacial", "Poppins"),
    (r"lato|cabin|karla|source sans|hind|mukta|alegreya sans|carlito|fira", "Lato"),
    (r"arimo|helvetica|arial|roboto|inter|work sans|public sans|ubuntu|ibm plex sans", "Arimo"),
    (r"sans|gothic|grotesk|grotesque", "Open Sans"),
    (r"serif|roman|antiqua|old style|oldstyle", "Tinos"),
)

DEFAULT = "Open Sans"
"""Stands in where the name tells nothing."""


def stand_in(name: str) -> str:
    """The embedded family that draws a font of this name: itself or its alias where there is one, else one of its kind.

    >>> stand_in("Great Vibes"), stand_in("montserrat")
    ('Dancing Script', 'Montserrat')
    """
    try:
        return find_family(name).name
    except FontError:
        folded = re.sub(r"[_-]+", " ", name).casefold()
        return next((family for pattern, family in _STAND_INS if re.search(pattern, folded)), DEFAULT)
