"""What the pixel heuristic sees on pages laid out by hand, what its rules blame, and that no constant comes near."""

import numpy as np
import pytest

from designgym.agents.aesthetics.elements import elements, grown, shrunk
from designgym.agents.aesthetics.heuristic import PixelHeuristic, blame, choose, indicator_of, known_boxes
from designgym.agents.aesthetics.looks import contrast, look
from designgym.agents.aesthetics.rules import RULES
from designgym.agents.aesthetics.seeing import see
from designgym.boxes import iou
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.questions import question

PAPER, INK, PANEL = (250, 248, 240), (30, 40, 60), (20, 90, 110)
TITLE, BODY, LINE = (60, 40, 340, 80), (60, 120, 240, 150), (60, 180, 240, 192)


def blank(width=400, height=400, color=PAPER):
    return np.full((height, width, 3), color, np.uint8)


def write(page, rect, color=INK, stroke=3, gap=3):
    """Strokes that look like lines of type to the eyes of a heuristic; one line where the box is low."""
    left, top, right, bottom = rect
    for x in range(left, right, stroke + gap):
        page[top:bottom, x : min(x + stroke, right)] = color
    return page


def paint(page, rect, seed=0):
    """A picture of many colours, sharp."""
    left, top, right, bottom = rect
    page[top:bottom, left:right] = np.random.default_rng(seed).integers(0, 255, (bottom - top, right - left, 3))
    return page


def fraction(rect, page):
    height, width = page.shape[:2]
    return (rect[0] / width, rect[1] / height, rect[2] / width, rect[3] / height)


# ---------------------------------------------------------------- elements and looks


def test_growing_and_shrinking_reach_exactly_as_far_as_said():
    mask = np.zeros((9, 11), bool)
    mask[4, 5] = True
    wide = grown(mask, 2, 1)
    expected = np.zeros_like(mask)
    expected[3:6, 3:8] = True
    assert (wide == expected).all()
    assert (shrunk(wide, 2, 1) == mask).all()


def test_elements_are_found_on_paper_and_on_a_panel_of_another_colour():
    page = blank()
    page[200:390, 20:380] = PANEL
    write(page, TITLE)
    write(page, (100, 260, 300, 290), (255, 255, 255))
    found = elements(page)
    assert [one.rect for one in found if one.ground] == [(20, 200, 380, 390)]
    assert [one.rect for one in found if not one.ground] == [(60, 40, 339, 80), (100, 260, 300, 290)]
    assert elements(blank()) == []


def test_lines_of_one_text_are_joined_and_texts_of_other_sizes_are_not():
    page = write(write(write(blank(), (60, 40, 240, 60)), (60, 68, 200, 88)), (60, 96, 240, 104))
    rects = [one.rect for one in see(page).looks]
    assert rects == [(60, 40, 237, 88), (60, 96, 237, 104)]


def test_a_look_tells_kind_contrast_and_size():
    page = paint(write(blank(448, 448), TITLE), (60, 200, 160, 300))
    text, picture = look(page, TITLE), look(page, (60, 200, 160, 300))
    assert text.kind == "text" and picture.kind == "picture"
    assert text.contrast == pytest.approx(contrast(np.array(INK), np.array(PAPER)), rel=0.01)
    assert text.line_px == 40 and text.share == pytest.approx(280 * 40 / 448**2)
    assert look(page, (300, 300, 301, 340)) is None and look(page, (300, 300, 340, 340)) is None
    assert contrast(np.array([0, 0, 0]), np.array([255, 255, 255])) == pytest.approx(21.0)


def test_blurred_and_enlarged_pictures_are_told_from_sharp_ones():
    y, x = np.mgrid[:100, :100]
    scene = np.where(((x - 50) ** 2 + (y - 50) ** 2 < 900)[..., None], (200, 60, 40), (40, 80, 160)).astype(np.uint8)
    scene[30:40, 10:90] = (240, 220, 90)
    soft = scene.astype(float)
    for _ in range(12):
        soft = (np.roll(soft, 1, 0) + np.roll(soft, -1, 0) + np.roll(soft, 1, 1) + np.roll(soft, -1, 1) + soft) / 5
    small = scene[::8, ::8].repeat(8, 0).repeat(8, 1)[:100, :100]
    looks = []
    for pixels in (scene, soft.astype(np.uint8), small):
        page = blank()
        page[100:200, 100:200] = pixels
        looks.append(look(page, (100, 100, 200, 200)))
    sharp, blurred, coarse = looks
    assert blurred.sharp < 0.25 < sharp.sharp
    assert coarse.silent > 0.6


# ---------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("indicator", "rect", "draw"),
    [
        ("color-contrast", BODY, lambda page: write(page, BODY, (238, 236, 228))),
        ("font-legibility", LINE, lambda page: write(page, (60, 180, 240, 183))),
        ("color-harmony", BODY, lambda page: write(page, BODY, (240, 40, 120))),
        ("layout-balance", (60, 120, 380, 390), lambda page: paint(page, (60, 120, 380, 390))),
        ("layout-alignment", (330, 200, 400, 260), lambda page: paint(page, (330, 200, 400, 260))),
    ],
)
def test_a_rule_blames_the_flawed_element_and_no_good_one(indicator, rect, draw):
    good = write(write(write(blank(color=(180, 210, 250)), TITLE), BODY), LINE)
    assert blame(good, indicator, []) is None
    page = write(blank(color=(180, 210, 250)), TITLE)
    for other in (BODY, LINE):
        if other != rect:
            write(page, other)
    found = blame(draw(page), indicator, [])
    assert found is not None and iou(found, fraction(rect, page)) > 0.2
    assert iou(found, fraction(TITLE, page)) < 0.1


def test_of_regions_the_worst_is_chosen_and_none_where_all_are_good():
    page = write(write(blank(), TITLE), LINE)
    options = (fraction(TITLE, page), None, fraction(LINE, page), fraction(BODY, page))
    assert choose(write(page.copy(), BODY, (236, 234, 226)), "color-contrast", options) == "D"
    assert choose(write(page.copy(), BODY), "color-contrast", options) == "B"
    assert choose(page, "", options) == "B" and choose(page, "", options[2:]) == "A"


def test_every_indicator_has_a_rule_and_is_known_from_its_questions():
    assert list(RULES) == list(INDICATORS)
    for task in ("judgment", "selection", "localization"):
        for name, indicator in INDICATORS.items():
            text = question(task, indicator, (None, (0.0, 0.0, 0.5, 0.5)) if task == "selection" else ())
            assert indicator_of(text) == name
            assert indicator_of(text.split("\n", 1)[1]) == name  # without the explanation
    assert indicator_of("Is it nice?") == ""


def test_listed_elements_are_taken_as_they_are_listed():
    page = write(write(blank(), TITLE), BODY, (236, 234, 226))
    text = (
        'Calls left: 1.\nElements: {"canvas_width": 800, "canvas_height": 800, "elements": ['
        '{"type": "ColoredBackground", "left": 0, "top": 0, "width": 800, "height": 800}, '
        '{"type": "TextElement", "left": 120, "top": 80, "width": 560, "height": 80}, '
        '{"type": "TextElement", "left": 110, "top": 230, "width": 400, "height": 80}, '
        '{"type": "SvgElement", "left": 900, "top": 230, "width": 40, "height": 80}]}'
    )
    assert known_boxes(text, page) == [TITLE, (55, 115, 255, 155)]
    assert known_boxes("Calls left: 1.", page) == []
    agent = PixelHeuristic("bbox")
    observation = {"image": page, "task": question("localization", INDICATORS["color-contrast"]), "text": text}
    assert agent(observation, {})["arguments"]["bbox"] == pytest.approx([55 / 400, 115 / 400, 255 / 400, 155 / 400])


def test_the_page_alone_is_looked_at_where_it_does_not_fill_the_picture():
    page = write(blank(400, 300), BODY, (236, 234, 226))
    image = np.full((400, 400, 3), 128, np.uint8)
    image[:300] = page
    observation = {"image": image, "task": question("localization", INDICATORS["color-contrast"]), "text": ""}
    box = PixelHeuristic("bbox")(observation, {"page": [400.0, 300.0]})["arguments"]["bbox"]
    assert iou(box, fraction(BODY, page)) > 0.9


@pytest.mark.parametrize("argument", ["verdict", "choice", "bbox"])
def test_odd_pages_are_answered_all_the_same(argument):
    noise = np.random.default_rng(0).integers(0, 255, (64, 64, 3)).astype(np.uint8)
    task = {"verdict": "judgment", "choice": "selection", "bbox": "localization"}[argument]
    options = ((0.0, 0.0, 0.01, 0.01), (0.9, 0.9, 1.0, 1.0), (0.0, 0.0, 1.0, 1.0), None) if argument == "choice" else ()
    for name in INDICATORS:
        for page in (noise, blank(64, 64), blank(33, 5), np.zeros((1, 1, 3), np.uint8)):
            observation = {"image": page, "task": question(task, INDICATORS[name], options), "text": ""}
            call = PixelHeuristic(argument)(observation, {})
            assert list(call["arguments"]) == [argument]
