"""Sentences of the reasoning paths that do not depend on an element: how they begin, what follows, how they end."""

from __future__ import annotations

OPENINGS = (
    "The question is about {respect}.",
    "{respect} is what to look at here.",
    "Look for {respect}: {meaning}.",
    "To judge {respect}, check {meaning}.",
    "What counts is {respect}, that is, {meaning}.",
    "Consider {meaning}.",
    "{respect} asks about {meaning}.",
    "First see {meaning}.",
)

MEANINGS: dict[str, tuple[str, ...]] = {
    "layout-balance": (
        "how the visual weight is spread",
        "whether one side of the page tips over",
        "whether every element has a fitting scale",
    ),
    "layout-layering": (
        "what lies in front of what",
        "whether anything hides what should be seen",
        "whether the depth of the elements leads the eye",
    ),
    "layout-whitespace": (
        "how much room the elements have",
        "the blank space around the elements",
        "whether anything is crowded or adrift",
    ),
    "layout-alignment": (
        "whether edges and centres line up",
        "the lines that the elements share",
        "whether anything falls out of the grid",
    ),
    "color-harmony": (
        "whether the colours belong together",
        "whether any colour falls out of the palette",
        "how the colours of the elements go together",
    ),
    "color-contrast": (
        "how far each colour differs from its ground",
        "whether everything stands out from what is behind it",
        "the contrast between elements and their ground",
    ),
    "color-appeal": (
        "whether the combination of colours pleases",
        "how attractive the colours are together",
        "whether a colour spoils the combination",
    ),
    "color-psychology": (
        "what feeling the colours raise",
        "whether the colours suit the subject",
        "the mood that the colours set",
    ),
    "font-legibility": (
        "whether all text can be read with ease",
        "size, face and ground of the type",
        "whether the characters can be told apart",
    ),
    "font-hierarchy": (
        "what the type says is to be read first",
        "the order of sizes and weights in the type",
        "whether the type tells important text from the rest",
    ),
    "graphic-quality": (
        "whether the pictures are sharp at their size",
        "how clean the pictures are",
        "whether any picture is blurred or coarse",
    ),
    "graphic-relevance": (
        "whether the pictures belong to the subject",
        "what the pictures show and what the text speaks of",
        "whether any graphic is out of place",
    ),
}

CONSEQUENCES: dict[str, tuple[str, ...]] = {
    "layout-balance": (
        "The page tips to one side.",
        "The weight of the page is no longer spread evenly.",
        "Nothing across the page offsets it, so the composition leans.",
        "The composition loses its balance there.",
        "The eye is pulled to that spot and stays there.",
    ),
    "layout-layering": (
        "What should be seen is cut off.",
        "The order in depth no longer leads the eye.",
        "Two elements fight for the same place.",
        "The overlap looks like a mistake and costs what lies beneath.",
        "The eye cannot tell what belongs in front.",
    ),
    "layout-whitespace": (
        "There is no room to breathe at that place.",
        "The blank space falls out of measure.",
        "The page looks crammed there and loose elsewhere.",
        "The spacing of the page loses its rhythm.",
        "The distance is too small to set the elements apart.",
    ),
    "layout-alignment": (
        "It falls out of the lines that the other elements keep.",
        "The grid of the page is broken there.",
        "The edge that the eye follows is interrupted.",
        "The offset is too small to be meant and too large to be missed.",
        "It looks as if it had slipped.",
    ),
    "color-harmony": (
        "The colours no longer belong together.",
        "That colour falls out of the palette.",
        "It jars with the rest of the page.",
        "The palette loses its coherence.",
        "The colour has no relation to the others.",
    ),
    "color-contrast": (
        "It sinks into its ground.",
        "The eye has to search for it.",
        "Figure and ground can hardly be told apart.",
        "It does not stand out as it should.",
        "The difference to the ground is too slight.",
    ),
    "color-appeal": (
        "The combination of colours repels rather than attracts.",
        "It spoils the pleasant combination of the rest.",
        "The colours look unpleasant together.",
        "The page loses its charm there.",
        "The combination looks accidental.",
    ),
    "color-psychology": (
        "The mood that it sets does not suit the subject.",
        "The feeling of that colour works against the message.",
        "It speaks in a tone that the design does not mean.",
        "The colour tells another story than the text.",
        "The emotional effect is at odds with the theme.",
    ),
    "font-legibility": (
        "The text cannot be read with ease.",
        "Readers would have to strain to make it out.",
        "The characters can hardly be told apart.",
        "At a glance the words are lost.",
        "Reading it takes an effort that nobody will make.",
    ),
    "font-hierarchy": (
        "The type no longer tells what to read first.",
        "The order of importance is upset.",
        "It claims a rank that its content does not have.",
        "A reader who scans the page is led astray.",
        "The steps between the levels of text are lost.",
    ),
    "graphic-quality": (
        "The picture looks coarse at that size.",
        "Its detail is lost.",
        "It looks like a draft beside the clean rest of the page.",
        "Edges smear where they should be crisp.",
        "The quality falls below that of the page.",
    ),
    "graphic-relevance": (
        "It has nothing to do with the subject.",
        "What it shows and what the text says do not meet.",
        "It distracts from the message.",
        "A reader would wonder why it is there.",
        "It belongs to another design.",
    ),
}

COMPARISONS = (
    "By comparison, {region} {merit}.",
    "Elsewhere the page does better: {region} {merit}.",
    "{region}, on the other hand, {merit}.",
    "{region} {merit}.",
    "That this is no rule of the page shows where {region} {merit}.",
)

JUDGED_FLAWED = (
    "So the design has an issue with its {respect}.",
    "The {respect} of this design has an issue.",
    "That is an issue with the {respect}, and the answer is yes.",
    "Hence yes: the {respect} is harmed.",
    "The answer is yes.",
    "This harms the {respect}.",
)
JUDGED_FINE = (
    "So the design has no issue with its {respect}.",
    "Nothing harms the {respect}, and the answer is no.",
    "Hence no: the {respect} is as it should be.",
    "The {respect} of this design is fine.",
    "The answer is no.",
    "No issue with the {respect} is to be found.",
)
CHOSEN = (
    "So the region is {letter}.",
    "{letter} is the region that harms the {respect}.",
    "The answer is {letter}.",
    "That leaves {letter}.",
    "Of the four, {letter} is at fault.",
)
CHOSEN_NONE = (
    "None of the regions is at fault, so the answer is {letter}.",
    "No region harms the {respect}; {letter} says so.",
    "That leaves {letter}: no element.",
    "All three regions are fine, which is {letter}.",
)
NONE_OPTION = (
    "{letter} says that there is no such element.",
    "{letter} stands for no element.",
    "{letter} would mean that all is well.",
    "With {letter} nothing would be at fault.",
)
LOCATED = (
    "So the box is {box}.",
    "The element to mark is the one at {box}.",
    "It is enclosed by {box}.",
    "The flaw sits in {box}.",
    "That gives the box {box}.",
    "The answer is its box, {box}.",
)
LOCATED_NONE = (
    "No element harms the {respect}, so there is no box to give.",
    "Nothing is at fault; the answer is null.",
    "There is no such element, hence null.",
    "All elements are as they should be, so the answer is null.",
    "The {respect} holds all over the page: null.",
)
WHOLE = (
    "It lies {place} and takes {share} of the page.",
    "On the page as a whole it lies {place}, over {share} of the area.",
    "Seen against the whole page, this is {share} of the area, {place}.",
    "It fills {share} of the page, {place}.",
    "Within the whole it sits {place} with {share} of the area.",
)
BESIDE = (
    "Its nearest neighbour is {region}, {gap} of the page away.",
    "Next to it, at {gap} of the page, stands {region}.",
    "{region} stands closest, {gap} of the page from it.",
    "Between it and {region} lie {gap} of the page.",
)
TOUCHING = (
    "It touches {region}.",
    "It runs into {region}.",
    "There is no gap between it and {region}.",
    "It meets {region} without a gap.",
)
REST = (
    "The other {count} elements show no such flaw.",
    "None of the {count} other elements has this problem.",
    "The remaining {count} elements are as they should be in this respect.",
    "The {count} elements around it are fine.",
)
