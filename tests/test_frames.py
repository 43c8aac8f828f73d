"""A perfect answer in a family's own frame must come back as the true box, whatever the processor does to the
image."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.frames import number_frame, to_env, to_model
from designgym.boxes import NumberFrame, iou
from designgym.tools import BoundingBox, Number, Parameter, Tool, ToolTable

TABLE = ToolTable(
    (
        Tool("answer", "Answer.", (Parameter("bbox", BoundingBox(nullable=True)),)),
        Tool("move", "Move.", (Parameter("x", Number(0, 1000)), Parameter("target", BoundingBox(), required=False))),
    )
)
THOUSAND = NumberFrame("thousand")


class ImageProcessor:
    """The settings of the published processors that decide the size an image is resized to."""

    do_resize = True
    merge_size = 2

    def __init__(self, patch_size, low, high):
        self.patch_size = patch_size
        self.size = {"shortest_edge": low, "longest_edge": high}


PROCESSORS = {
    "qwen2_vl": ImageProcessor(14, 3136, 12845056),
    "qwen2_5_vl": ImageProcessor(14, 3136, 12845056),
    **dict.fromkeys(
        ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "qwen4_exp"), ImageProcessor(16, 65536, 16777216)
    ),
}


def answer(box):
    return {"name": "answer", "arguments": {"bbox": box}}


@pytest.mark.parametrize("model_type", sorted(FAMILIES))
@pytest.mark.parametrize("size", [(448, 448), (1920, 1080), (100, 333), (50, 40), (4000, 3000)])
def test_a_perfect_answer_comes_back_as_the_true_box(model_type, size):
    pytest.importorskip("transformers")
    frame = number_frame(FAMILIES[model_type], PROCESSORS[model_type], size)
    truth = [0.25, 0.5, 0.75, 1.0]
    spoken = to_model(answer(truth), TABLE, frame)
    assert all(isinstance(v, int) for v in spoken["arguments"]["bbox"])
    heard = to_env(spoken, TABLE, frame)["arguments"]["bbox"]
    assert iou(heard, truth) == pytest.approx(1, abs=0.03)  # a whole number of 1/1000 or of a resized pixel off


def test_qwen25_speaks_pixels_of_the_resized_image():
    """JDG-03, case A: shown as 1316x728, an answer for the right lower quarter is no box of 1920x1080 pixels."""
    pytest.importorskip("transformers")
    processor = ImageProcessor(14, 3136, 1280 * 28 * 28)
    frame = number_frame(FAMILIES["qwen2_5_vl"], processor, (1920, 1080))
    assert frame == NumberFrame("resized_pixel", (1316, 728))
    assert to_env(answer([658, 364, 1316, 728]), TABLE, frame) == answer([0.5, 0.5, 1.0, 1.0])
    assert to_model(answer([0.5, 0.5, 1.0, 1.0]), TABLE, frame) == answer([658, 364, 1316, 728])


def test_none_passes_through():
    assert to_env(answer(None), TABLE, THOUSAND) == answer(None)
    assert to_model(answer(None), TABLE, THOUSAND) == answer(None)


@pytest.mark.parametrize(
    "value", ["null", "100, 200, 300, 400", [1, 2, 3], [1, 2, 3, None], [True, 0, 1, 1], [float("nan")] * 4, {}, 7]
)
def test_what_is_no_box_stays_for_the_environment_to_refuse(value):
    assert str(to_env(answer(value), TABLE, THOUSAND)) == str(answer(value))


def test_numbers_as_decimal_strings_are_converted_like_numbers():
    assert to_env(answer(["100", "200", "300.0", "400"]), TABLE, THOUSAND) == answer([0.1, 0.2, 0.3, 0.4])


def test_arguments_as_a_json_string_are_converted_too():
    """Left as they are, [0, 0, 1, 1] thousandths would be read as the whole page."""
    call = {"name": "answer", "arguments": '{"bbox": [0, 0, 1, 1]}'}
    assert to_env(call, TABLE, THOUSAND) == answer([0.0, 0.0, 0.001, 0.001])


def test_only_boxes_are_converted():
    call = {"name": "move", "arguments": {"x": 500, "target": [0, 0, 500, 500]}}
    assert to_env(call, TABLE, THOUSAND) == {"name": "move", "arguments": {"x": 500, "target": [0, 0, 0.5, 0.5]}}


@pytest.mark.parametrize(
    "call", [{"name": "fly", "arguments": {"bbox": [1, 2, 3, 4]}}, {"name": None}, {}, {"name": []}]
)
def test_unknown_tools_and_malformed_calls_stay_as_they_are(call):
    assert to_env(call, TABLE, THOUSAND) == call


def test_coarse_numbers_round_to_the_grid_halves_up():
    assert to_model(answer([0.0124, 0.0125, 0.51, 0.99]), TABLE, THOUSAND, step=25) == answer([0, 25, 500, 1000])


@given(st.lists(st.floats(0, 1, allow_nan=False), min_size=4, max_size=4), st.sampled_from([1, 25, 100]))
def test_rounding_never_flattens_a_box_nor_leaves_the_page(values, step):
    x1, x2 = sorted(values[:2])
    y1, y2 = sorted(values[2:])
    if x1 == x2 or y1 == y2:
        return
    box = to_model(answer([x1, y1, x2, y2]), TABLE, THOUSAND, step=step)["arguments"]["bbox"]
    assert 0 <= box[0] < box[2] <= 1000
    assert 0 <= box[1] < box[3] <= 1000
    assert all(value % step == 0 for value in box)
