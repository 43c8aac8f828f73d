import copy
import json
import pickle

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, create_shared_memory, iterate
from hypothesis import given
from hypothesis import strategies as st

from designgym.spaces import ToolCall, Unicode
from designgym.tools import Array, BoundingBox, Number, Parameter, Text, Tool, ToolTable

TABLE = ToolTable(
    (
        Tool("answer", "", (Parameter("bbox", BoundingBox(nullable=True)),)),
        Tool(
            "draw",
            "",
            (
                Parameter("points", Array(Array(Number(0, 9, integer=True), 2, 2), 1, 50)),
                Parameter("label", Text(8), required=False),
            ),
        ),
        Tool("undo", ""),
    )
)
SPACES = [Unicode(40), Unicode(0), ToolCall(TABLE)]
ids = pytest.mark.parametrize("space", SPACES, ids=repr)


@ids
def test_samples_are_seeded_members_that_survive_json(space):
    one, two = copy.deepcopy(space), copy.deepcopy(space)
    assert one.seed(3) == two.seed(3)
    samples = [one.sample() for _ in range(50)]
    assert samples == [two.sample() for _ in range(50)]
    assert all(sample in space for sample in samples)
    assert space.from_jsonable(json.loads(json.dumps(space.to_jsonable(samples), allow_nan=False))) == samples


@ids
def test_copies_and_pickles_go_on_equally(space):
    space = copy.deepcopy(space)
    space.seed(1)
    space.sample()
    copies = [copy.deepcopy(space), pickle.loads(pickle.dumps(space))]
    expected = [space.sample() for _ in range(5)]
    for other in copies:
        assert other == space
        assert [other.sample() for _ in range(5)] == expected


@ids
def test_a_batch_is_a_tuple(space):
    batch = batch_space(space, 3)
    assert isinstance(batch, gym.spaces.Tuple) and len(batch.spaces) == 3
    values = batch.sample()
    assert values in batch
    batch.seed(0)
    streams = {repr([single.sample() for _ in range(20)]) for single in batch.spaces}
    assert len(streams) == (1 if space == Unicode(0) else 3)  # a generator each
    assert tuple(iterate(batch, values)) == values
    empty = create_empty_array(space, 3)
    assert empty in batch
    assert concatenate(space, values, empty) == values


@ids
def test_shared_memory_is_refused_clearly(space):
    with pytest.raises(gym.error.CustomSpaceError):
        create_shared_memory(space, 2)


def test_unicode_counts_characters_and_takes_strings_only():
    space = Unicode(4)
    assert "" in space and "😀é中a" in space
    assert "abcde" not in space
    assert None not in space and b"ab" not in space and 3 not in space and ["a"] not in space


def test_unicode_samples_all_planes_and_lengths_and_never_a_surrogate():
    space = Unicode(20, seed=0)
    texts = [space.sample() for _ in range(500)]
    characters = "".join(texts)
    assert {len(text) for text in texts} == set(range(21))
    assert not any(0xD800 <= ord(character) <= 0xDFFF for character in characters)
    assert max(characters) > "\U00100000" and min(characters) < "\U00002000"
    characters.encode("utf-8")


@pytest.mark.parametrize("bad", [-1, 2.5, "3", None, True])
def test_unicode_needs_a_length(bad):
    with pytest.raises(ValueError, match="whole number"):
        Unicode(bad)


def test_spaces_of_other_sizes_and_tools_differ():
    assert Unicode(3) != Unicode(4)
    assert ToolCall(TABLE) != ToolCall(ToolTable(TABLE.tools[:1]))
    assert ToolCall(TABLE) == ToolCall(ToolTable(TABLE.tools))


def test_a_mask_chooses_the_tools():
    space = ToolCall(TABLE, seed=0)
    for index, name in enumerate(TABLE.names):
        mask = np.zeros(3, dtype=np.int8)
        mask[index] = 1
        assert {space.sample(mask=mask)["name"] for _ in range(5)} == {name}
    names = [space.sample(probability=np.array([0.0, 0.9, 0.1]))["name"] for _ in range(200)]
    assert names.count("answer") == 0 and 150 < names.count("draw") < 200
    assert {space.sample()["name"] for _ in range(50)} == set(TABLE.names)


@pytest.mark.parametrize(
    "arguments",
    [
        {"mask": np.zeros(3, np.int8)},
        {"mask": np.ones(2, np.int8)},
        {"mask": np.array([2, 0, 0], np.int8)},
        {"mask": np.array([-1, 1, 1], np.int8)},
        {"probability": np.array([0.5, 0.1, 0.1])},
        {"probability": np.array([np.nan, 0.5, 0.5])},
        {"mask": np.ones(3, np.int8), "probability": np.ones(3) / 3},
    ],
)
def test_a_mask_that_makes_no_sense_is_refused(arguments):
    with pytest.raises(ValueError):
        ToolCall(TABLE).sample(**arguments)
    with pytest.raises(ValueError):
        Unicode(3).sample(**arguments)


@pytest.mark.parametrize(
    ("value", "member"),
    [
        ({"name": "undo", "arguments": {}}, True),
        ({"name": "undo"}, True),
        ({"name": "answer", "arguments": {"bbox": None}}, True),
        ({"name": "answer", "arguments": '{"bbox": null}'}, True),
        ({"name": "answer", "arguments": {"bbox": [0, 0, "1", 1]}}, True),
        ({"name": "answer", "arguments": {"bbox": np.array([0, 0, 1, 1])}}, True),
        ({"name": "answer", "arguments": {}}, False),
        ({"name": "answer", "arguments": {"bbox": [1, 0, 0, 1]}}, False),
        ({"name": "draw", "arguments": {"points": [[0, 0]] * 51}}, False),
        ({"name": "Undo", "arguments": {}}, False),
        ({"name": "undo", "arguments": {}, "why": ""}, False),
        ("undo", False),
        (None, False),
        (5, False),
    ],
)
def test_membership_is_what_a_step_would_carry_out(value, member):
    space = ToolCall(TABLE)
    assert (value in space) is member
    if member:
        json.dumps(space.to_jsonable([value]), allow_nan=False)
    else:
        with pytest.raises(ValueError, match="Not in the space"):
            space.to_jsonable([value])


@given(st.integers(0, 2**32 - 1))
def test_any_seed_samples_members(seed):
    space = ToolCall(TABLE, seed=seed)
    assert space.sample() in space
