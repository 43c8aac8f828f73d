"""Rows as tensors: what teaches, which rows are taken, how they are padded; all against values by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from PIL import Image  # noqa: E402

from designgym.agents.qwen.dialogue import TokenRow  # noqa: E402
from designgym.train.turns.pixels import Pixels  # noqa: E402
from designgym.train.turns.rows import choose, common_count, padded, teaching, tensors  # noqa: E402

NAN = float("nan")
PAD, IMAGE = 0, 9
PROCESSOR = SimpleNamespace(
    tokenizer=SimpleNamespace(pad_token_id=PAD, convert_tokens_to_ids=lambda token: IMAGE),
    image_processor=SimpleNamespace(merge_size=2),
)


def picture():
    return Image.new("RGB", (8, 8))


def row(prompt, completion, mask=None, images=0, turn=0):
    return TokenRow(prompt, completion, mask or [1] * len(completion), tuple(picture() for _ in range(images)), turn)


def fields(*grids):
    """What an image processor would make: two values a patch, the patch's number in both."""
    patches = sum(t * h * w for t, h, w in grids)
    numbers = torch.arange(patches, dtype=torch.float32)
    return {"pixel_values": torch.stack([numbers, numbers], 1), "image_grid_thw": torch.tensor(grids)}


def test_a_group_teaches_if_two_of_its_rewards_differ_and_only_those_that_have_one():
    rewards = torch.tensor([0.5, 0.5, 0.5, 0.0, 0.25, NAN, NAN, NAN, 0.5, NAN, 0.5, 0.5, 1.0, 1.0, 1.0, 0.0])
    # One reward alone, and three that are equal, have nothing to be compared with.
    assert teaching(rewards, 4).tolist() == [True] * 4 + [False] * 4 + [False] * 4 + [True] * 4
    assert teaching(torch.tensor([0.25, NAN, 0.5, 0.25]), 4).tolist() == [True, False, True, True]


def test_all_rows_of_the_episodes_that_teach_are_taken_in_order():
    rng = np.random.default_rng(0)
    assert choose([2, 1, 3], [True, False, True], None, rng) == [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]
    assert choose([2, 1, 3], [True, False, True], 5, rng) == choose([2, 1, 3], [True, False, True], None, rng)
    assert choose([2, 1], [False, False], 5, rng) == []


def test_of_too_many_rows_some_are_drawn_with_equal_chances_by_the_seed_alone():
    counts, use = [1, 5, 2], [True, True, True]
    places = choose(counts, use, 8, np.random.default_rng(0))
    drawn = [choose(counts, use, 3, np.random.default_rng(seed)) for seed in range(400)]
    assert drawn[7] == choose(counts, use, 3, np.random.default_rng(7))
    assert all(len(set(each)) == 3 and each == sorted(each) for each in drawn)
    often = [sum(place in each for each in drawn) / 400 for place in places]
    assert often == pytest.approx([3 / 8] * 8, abs=0.1)  # four standard deviations


@pytest.mark.parametrize(
    ("counts", "parts", "count"),
    [([5], 1, 5), ([5, 7], 1, 7), ([5, 7], 2, 8), ([8, 7], 4, 8), ([1, 1], 3, 3), ([9, 2], 4, 12)],
)
def test_every_process_pads_to_one_count_that_the_parts_divide(counts, parts, count):
    assert common_count(counts, parts) == count


def test_padding_copies_the_shortest_row_with_its_images():
    long, short = row([1, 2, 3], [4, 5]), row([1, IMAGE], [4], images=1)
    rows = padded([long, short], 4)
    assert rows[:2] == [long, short] and rows[2] is short and rows[3] is short
    assert padded([long], 1) == [long]


def test_tensors_by_hand():
    rows = [
        row([IMAGE, 2, 3], [4, 5, 6], images=1),
        row([7], [4, IMAGE, IMAGE, 5], [1, 0, 0, 1], images=1),
        row([IMAGE, IMAGE, IMAGE, 1], [6], images=2),
    ]
    batch = tensors(
        rows,
        PROCESSOR,
        learn=[True, True, False],
        images=fields((1, 2, 2), (1, 2, 4), (1, 2, 2), (1, 4, 2)),
    )
    assert batch["prompt_ids"].tolist() == [[0, 9, 2, 3], [0, 0, 0, 7], [9, 9, 9, 1]]
    assert batch["prompt_mask"].tolist() == [[0, 1, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1]]
    assert batch["completion_ids"].tolist() == [[4, 5, 6, 0], [4, 9, 9, 5], [6, 0, 0, 0]]
    assert batch["completion_mask"].tolist() == [[1, 1, 1, 0], [1, 1, 1, 1], [1, 0, 0, 0]]
    assert (batch["completion_mask"] * batch["tool_mask"]).tolist() == [[1, 1, 1, 0], [1, 0, 0, 1], [0, 0, 0, 0]]
    assert batch["mm_token_type_ids"].tolist() == [
        [0, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 1, 1, 0],
        [1, 1, 1, 0, 0, 0, 0, 0],
    ]
    assert batch["num_images"] == [1, 1, 2]
    assert batch["image_grid_thw"].shape == (4, 3) and batch["pixel_values"].shape == (24, 2)
    assert {key: value.dtype for key, value in batch.items() if key.endswith(("ids", "mask"))} == dict.fromkeys(
        ["prompt_ids", "prompt_mask", "completion_ids", "completion_mask", "tool_mask", "mm_token_type_ids"],
        torch.int64,
    )


def test_the_id_that_pads_is_no_padding_where_the_model_wrote_it():
    batch = tensors([row([1], [4, PAD]), row([1, 2], [4])], PROCESSOR)
    assert batch["completion_mask"].tolist() == [[1, 1], [1, 0]]


def test_rows_without_images_have_no_pixels():
    batch = tensors([row([1], [2])], PROCESSOR)
    assert not {"pixel_values", "image_grid_thw", "num_images", "mm_token_type_ids"} & batch.keys()


@pytest.mark.parametrize(
    ("rows", "images", "says"),
    [
        ([row([IMAGE], [2], images=2)], fields((1, 2, 2)), r"2 images, and their pixels are those of 1 \(4 patches\)"),
        ([row([IMAGE, 1], [2], images=1)], fields((1, 2, 4)), "Row 0 has 1 image tokens, and its 1 images make 2"),
        ([row([1], [2], images=1)], fields((1, 2, 2)), "Row 0 has 0 image tokens, and its 1 images make 1"),
        ([row([1], [2]), row([IMAGE], [2])], None, "Row 1 has 1 image tokens, and its 0 images make 0"),
        (
            [row([IMAGE], [2], images=1)],
            {"pixel_values": torch.zeros(3, 2), "image_grid_thw": torch.tensor([[1, 2, 2]])},
            r"those of 1 \(3 patches\); none may be lost",
        ),
    ],
)
def test_pixels_that_do_not_fit_the_image_tokens_raise(rows, images, says):
    with pytest.raises(ValueError, match=says):
        tensors(rows, PROCESSOR, images=images)


def test_split_as_trl_does_nothing_is_lost_and_images_stay_with_their_rows():
    from trl.trainer.utils import (
        shuffle_sequence_dict,
        split_pixel_values_by_grid,
        split_tensor_dict,
        unsplit_pixel_values_by_grid,
    )

    rows = padded([row([IMAGE] * size, [size], images=1) for size in (1, 2, 3)], 4)
    grids = [(1, 2, 2 * len(each.prompt_ids)) for each in rows]
    batch = tensors(rows, PROCESSOR, images=fields(*grids))
    torch.manual_seed(0)
    parts = split_tensor_dict(shuffle_sequence_dict(split_pixel_values_by_grid(batch)), 2)
    parts = [unsplit_pixel_values_by_grid(part) for part in parts]
    found = []
    for part in parts:
        patches = torch.split(part["pixel_values"], part["image_grid_thw"].prod(1).tolist())
        for ids, own in zip(part["completion_ids"].tolist(), patches, strict=True):
            found.append((ids[0], own[:, 0].tolist()))
    starts = {1: range(0, 4), 2: range(4, 12), 3: range(12, 24)}
    copy = (1, list(map(float, range(24, 28))))
    assert sorted(found) == sorted([*((size, list(map(float, own))) for size, own in starts.items()), copy])


class Counting:
    """A processor that makes an image's size into its only patch, and counts what it prepares."""

    def __init__(self):
        self.prepared = 0

    def _process_images(self, images, return_tensors):
        self.prepared += len(images)
        sizes = torch.tensor([[float(image.width)] for image in images])
        return {"pixel_values": sizes, "image_grid_thw": torch.tensor([[1, 1, 1]] * len(images))}, []


def test_an_image_is_prepared_once_until_all_are_forgotten():
    processor = Counting()
    pixels = Pixels(processor)
    first, second, third = (Image.new("RGB", (width, 1)) for width in (3, 5, 7))
    assert pixels.of([first, second, first])["pixel_values"].tolist() == [[3], [5], [3]]
    made = pixels.of([third, first])
    assert made["pixel_values"].tolist() == [[7], [3]] and made["image_grid_thw"].tolist() == [[1, 1, 1]] * 2
    assert processor.prepared == 3
    pixels.clear()
    pixels.of([first])
    assert processor.prepared == 4


def test_beyond_its_bytes_images_are_prepared_again():
    processor = Counting()
    pixels = Pixels(processor, kept_bytes=4)  # one float
    first, second = (Image.new("RGB", (width, 1)) for width in (3, 5))
    for _ in range(3):
        assert pixels.of([first, second])["pixel_values"].tolist() == [[3], [5]]
    assert processor.prepared == 2 + 1 + 1
