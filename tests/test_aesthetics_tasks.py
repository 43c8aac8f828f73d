"""The three aesthetics environments on designs made by hand: pages, truths, infos, and what a model is shown."""

import hashlib
import json
from types import SimpleNamespace

import gymnasium as gym
import numpy as np
import pytest
from aesthetics_pages import ROW, TALL, show_hand_made
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import designgym  # noqa: F401 - registers the environments
from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.boxes import NumberFrame, iou
from designgym.envs.aesthetics.deal import GROUND
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.prompt import build_prompt, text_form
from designgym.envs.aesthetics.prompt_settings import Context, PromptSettings
from designgym.envs.aesthetics.settings import CLEAN_SHARES, Settings
from designgym.errors import UserError
from designgym.eval.choose_tasks import matching
from designgym.prompt import ImagePart

IDS = {
    "judgment": "designgym/AestheticJudgment-v0",
    "selection": "designgym/RegionSelection-v0",
    "localization": "designgym/AestheticLocalization-v0",
}
each = pytest.mark.parametrize("task", IDS)
EXPLANATION = INDICATORS["color-contrast"].explanation
TALL_FLAWED, TALL_GOOD, TWO_FLAWS, TOO_FEW = "train-000002", "train-000003", "train-000004", "train-000005"


@pytest.fixture
def hand_made(monkeypatch):
    return show_hand_made(monkeypatch)


def make(task, **kwargs):
    return gym.make(IDS[task], **{"designs": "layouts", "image_size": 224, **kwargs}).unwrapped


def played(task, name, arguments, **kwargs):
    env = make(task, **kwargs)
    env.reset(options={"task": name})
    return env.step({"name": "answer", "arguments": arguments})


def box(px, width, height):
    return [v / s for v, s in zip(px, (width, height, width, height), strict=True)]


# ------------------------------------------------------------ pages


@each
def test_a_page_that_is_not_square_lies_at_the_top_left_of_grey(task, hand_made):
    env = make(task)
    observation, info = env.reset(options={"task": TALL_FLAWED})
    image = observation["image"]
    assert image.shape == (224, 224, 3) and info["page"] == [128.0, 224.0]
    assert env.prompt_options()["page"] == (128, 224)
    assert (image[:, 128:] == GROUND).all()
    assert np.array_equal(image[:, :128], hand_made.samples[2].page(224))
    assert tuple(image[80, 60]) == (0x50, 0x70, 0x90)  # the second element covers the fractions (0.47, 0.36)


@each
def test_a_square_page_fills_the_picture(task, hand_made):
    observation, info = make(task).reset(options={"task": "train-000000"})
    assert info["page"] == [224.0, 224.0]
    assert np.array_equal(observation["image"], hand_made.samples[0].page(224))


@pytest.mark.parametrize("name", ["qwen2_vl", "qwen2_5_vl", "qwen3_vl"])
def test_a_perfect_box_on_a_tall_page_comes_back_in_every_familys_numbers(name, hand_made):
    pytest.importorskip("transformers")
    from test_frames import PROCESSORS

    from designgym.agents.qwen.families import FAMILIES
    from designgym.agents.qwen.frames import number_frame, page_size, to_env, to_model

    env = make("localization", image_size=448)
    observation, _ = env.reset(options={"task": TALL_FLAWED})
    size = page_size(observation["image"], env.prompt_options())
    assert size == (256, 448) and page_size(observation["image"], {}) == (448, 448)
    frame = number_frame(FAMILIES[name], PROCESSORS[name], size)
    truth = env.item(TALL_FLAWED).answer()["bbox"]
    assert truth == box(TALL[3], 640, 1120)
    heard = to_env(
        to_model({"name": "answer", "arguments": {"bbox": truth}}, env.tool_table, frame), env.tool_table, frame
    )
    assert iou(heard["arguments"]["bbox"], truth) > 0.98
    (shown,) = [part for message in build_prompt(observation, env.tool_table, frame=frame, **env.prompt_options())
                for part in message.parts if isinstance(part, ImagePart)]  # fmt: skip
    assert shown.pil().size == size


def test_an_agent_and_training_read_the_boxes_of_a_tall_page_alike(hand_made):
    pytest.importorskip("torch")
    from test_frames import PROCESSORS

    from designgym.agents.qwen.dialogue import Asker
    from designgym.agents.qwen.families import FAMILIES
    from designgym.agents.qwen.local import LocalModel
    from designgym.train.data import Pages

    processor = SimpleNamespace(image_processor=PROCESSORS["qwen2_5_vl"])
    local = LocalModel(model=None, processor=processor, family=FAMILIES["qwen2_5_vl"], source="")
    env = gym.make(IDS["localization"], designs="layouts", image_size=448)
    observation, _ = env.reset(options={"task": TALL_GOOD})
    options = env.unwrapped.prompt_options()
    asker = Asker(IDS["localization"], env.unwrapped.tool_table, local)
    pages = Pages(env, IDS["localization"], local, wording="full")
    assert asker.frame(observation, options) == pages.frame(observation, options)
    # 256 is no multiple of 28: the model sees 252 px, and its numbers are of those.
    assert asker.frame(observation, options) == NumberFrame("resized_pixel", (252, 448))


# ------------------------------------------------------------ truths


def test_right_answers_score_full_and_wrong_ones_nothing(hand_made):
    for name, verdict in ((TALL_FLAWED, "yes"), (TALL_GOOD, "no")):
        for given_ in ("yes", "no"):
            _, reward, over, _, info = played("judgment", name, {"verdict": given_})
            assert (reward, over) == (float(given_ == verdict), True)
            assert (info["truth"], info["answer"], info["end"]) == (verdict, given_, "submit")
    for name in (TALL_FLAWED, TALL_GOOD, TWO_FLAWS):
        env = make("selection")
        env.reset(options={"task": name})
        truth = env.episode().truth
        for letter in "ABCD":
            _, reward, _, _, info = played("selection", name, {"choice": letter})
            assert reward == float(letter == truth["choice"])
            assert (info["truth"], info["answer"]) == (truth["choice"], letter)
    assert played("localization", TALL_FLAWED, {"bbox": box(TALL[3], 640, 1120)})[1] == 1.0
    assert played("localization", TALL_GOOD, {"bbox": None})[1] == 1.0
    assert played("localization", TALL_FLAWED, {"bbox": None})[1] == 0.0


def test_of_two_harmed_elements_either_box_is_right_under_strict_and_the_first_under_release(hand_made):
    first, second = box(ROW[2], 800, 800), box(ROW[0], 800, 800)
    assert played("localization", TWO_FLAWS, {"bbox": first})[1] == 1.0
    assert played("localization", TWO_FLAWS, {"bbox": second})[1] == 1.0
    assert played("localization", TWO_FLAWS, {"bbox": first}, protocol="release")[1] == 1.0
    assert played("localization", TWO_FLAWS, {"bbox": second}, protocol="release")[1] == 0.5  # a box, but not there


def test_the_truth_says_what_was_asked_by_which_protocol(hand_made):
    common = {"indicator": "color-contrast", "flaw": "low_contrast", "design": "tall-flawed", "protocol": "strict"}
    common |= {"magnitude": 0.0, "condition": ""}
    truths = {}
    for task in IDS:
        env = make(task)
        env.reset(options={"task": TALL_FLAWED})
        truths[task] = env.episode().truth
        json.dumps(truths[task])
    assert truths["judgment"] == {"task": "judgment", **common, "verdict": "yes"}
    bbox = box(TALL[3], 640, 1120)
    assert truths["localization"] == {"task": "localization", **common, "bbox": bbox, "boxes": [bbox]}
    options, choice = truths["selection"].pop("options"), truths["selection"].pop("choice")
    assert truths["selection"] == {"task": "selection", **common}
    assert options["ABCD".index(choice)] == bbox and options.count(None) == 1 and len(options) == 4


def test_options_are_told_at_the_reset_and_in_the_question(hand_made):
    env = make("selection")
    observation, info = env.reset(options={"task": TALL_GOOD})
    options = env.episode().truth["options"]
    assert info["options"] == [option or [] for option in options]
    for letter, option in zip("ABCD", options, strict=True):
        shown = "None" if option is None else f"[{', '.join(f'{side:.4f}' for side in option)}]"
        assert f"\n{letter}: {shown}" in observation["task"]


def test_a_design_with_too_few_elements_gives_way_to_the_next_of_its_kind(hand_made):
    env = make("selection")
    env.reset(options={"task": TOO_FEW})  # flawed: the next flawed one, counting on from the start, is the first
    assert env.episode().truth["design"] == "flawed"
    assert make("judgment").item(TOO_FEW).sample.id == "too-few"
    hand_made.samples = hand_made.samples[5:]
    with pytest.raises(ValueError, match="No design of 'hand-made' near train-000000 has elements enough"):
        make("selection", image_size=32).reset(options={"task": "train-000000"})


@each
def test_tasks_can_be_chosen_by_what_is_known_of_them(task, hand_made):
    env = make(task)
    assert env.task_facts(TALL_FLAWED) == {"indicator": "color-contrast", "dimension": "color", "harmed": True}
    assert matching(env, list(env.task_ids()), {"harmed": False, "dimension": "color"}) == ["train-000001", TALL_GOOD]
    with pytest.raises(UserError, match="have no fact 'flaw'"):
        matching(env, [TALL_FLAWED], {"flaw": "size"})


@each
def test_a_split_that_the_designs_lack_is_refused(task, hand_made):
    with pytest.raises(ValueError, match="'hand-made' have no split 'validation'; they have train, test"):
        make(task, split="validation")
    with pytest.raises(ValueError, match=r"Task 'validation-000001' does not exist; ids are 'train-000000' to"):
        make(task).item("validation-000001")


@each
def test_an_answer_of_any_size_is_refused_and_costs_the_call(task, hand_made):
    env = make(task, max_calls=9)
    name = env.tool_table["answer"].record.names[0]
    for value in (
        "yes" * 40_000,
        [0.1] * 100_000,
        {"a": "b" * 100_000},
        "[" * 100_000,
        None if task != "localization" else 3,
    ):
        env.reset(options={"task": TALL_GOOD})
        for call in ({"name": "answer", "arguments": {name: value}}, value, {"name": value, "arguments": {}}):
            observation, reward, over, _, info = env.step(call)
            assert info["error"] in ("format", "invalid_action", "invalid_parameters")
            assert (reward, over) == (0.0, False) and len(observation["text"]) <= 2000


@each
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_no_answer_makes_a_step_raise_or_its_info_unfit_for_json(task, value, hand_made):
    env = make(task, image_size=32)
    name = env.tool_table["answer"].record.names[0]
    env.reset(options={"task": TALL_GOOD})
    observation, reward, over, _, info = env.step({"name": "answer", "arguments": {name: value}})
    assert over and 0.0 <= reward <= 1.0 and observation in env.observation_space
    json.dumps(info, allow_nan=False)


# ------------------------------------------------------------ prompts


def shown(task, name=TALL_FLAWED, kwargs=None, **options):
    env = make(task, **(kwargs or {}))
    observation, _ = env.reset(options={"task": name})
    return build_prompt(observation, env.tool_table, **{**env.prompt_options(), **options})


@each
def test_the_full_prompt_explains_and_the_brief_one_is_a_single_message(task, hand_made):
    system, user = shown(task, frame=NumberFrame("thousand"))
    assert (system.role, user.role) == ("system", "user")
    assert "`answer`" in system.text and user.text.startswith(EXPLANATION)
    assert ("0 to 1000" in system.text) is (task != "judgment")
    (only,) = shown(task, wording="brief", frame=NumberFrame("thousand"))
    assert "Call answer with" in only.text and only.text.startswith(EXPLANATION)


def test_regions_are_offered_in_the_models_own_numbers(hand_made):
    _, user = shown("selection", frame=NumberFrame("thousand"))
    env = make("selection")
    env.reset(options={"task": TALL_FLAWED})
    for letter, option in zip("ABCD", env.episode().truth["options"], strict=True):
        text = "None" if option is None else str([int(1000 * side + 0.5) for side in option])
        assert f"\n{letter}: {text}" in user.text


@each
@pytest.mark.parametrize("framing", ["original", "optimized"])
def test_answers_in_words_are_asked_for_in_one_message_without_tools(task, framing, hand_made):
    (only,) = shown(task, framing=framing)
    assert only.role == "user" and isinstance(only.parts[0], ImagePart)
    assert "tool" not in only.text and "`answer`" not in only.text
    assert ("step by step" in only.text or "Reason" in only.text) is (framing == "optimized")
    with pytest.raises(UserError, match="The brief wording has no framing"):
        shown(task, framing=framing, wording="brief")


def test_the_released_form_offers_px_and_asks_for_width_and_height(hand_made):
    options = {"kwargs": {"protocol": "release"}, "framing": "original", "frame": NumberFrame("thousand")}
    (only,) = shown("localization", **options)
    assert "[left, top, width, height]" in only.text and "(0 to 1)" in only.text
    (only,) = shown("selection", **options)
    left, top, right, bottom = (round(v / 5) for v in TALL[3])  # the page is shown at a fifth of its size
    assert str([left, top, right - left, bottom - top]) in only.text
    assert text_form(NumberFrame("thousand"), "release", (1, 1)) == (NumberFrame(), "ltwh")
    assert text_form(NumberFrame("thousand"), "strict", (1, 1)) == (NumberFrame("thousand"), "xyxy")


@each
def test_each_component_of_the_context_can_be_left_out(task, hand_made):
    for image in (True, False):
        for explanation in (True, False):
            for metadata in (True, False):
                if not image and not metadata:
                    continue
                context = Context(image, explanation, metadata)
                messages = shown(task, kwargs={"metadata": True}, context=context)
                parts = messages[-1].parts
                assert isinstance(parts[0], ImagePart) is image
                assert (EXPLANATION in messages[-1].text) is explanation
                assert ('"canvas_width": 640' in messages[-1].text) is metadata
                assert ("do not see" in messages[0].text) is not image
    with pytest.raises(UserError, match="Nothing of the design is shown"):
        shown(task, context=Context(False, True, True))


def test_settings_of_the_prompt_are_checked_by_name():
    chosen = prompt_settings(IDS["judgment"], framing="optimized", context=["metadata", "image"])
    assert chosen == {"framing": "optimized", "context": Context(True, False, True)}
    assert PromptSettings(context=["explanation", "image"]).context == ("image", "explanation")
    for wrong, words in (
        ({"framing": "orginal"}, "There is no framing 'orginal'. Did you mean 'original'"),
        ({"context": "image"}, "context is 'image'; it must be a list"),
        ({"context": ["picture", "image"]}, "context has no component 'picture'"),
        ({"context": ["image", "image"]}, "name each component once"),
        ({"context": ["explanation"]}, "the design must be shown as 'image', 'metadata' or both"),
    ):
        with pytest.raises(UserError, match=words.replace(".", r"\.").replace("[", r"\[")):
            PromptSettings(**wrong)
    assert all(prompt_builder(env_id) is build_prompt for env_id in IDS.values())


BLOCKS_PROMPTS = "23572ab55c6115adaea3df56d6317f71e872ea5aeb6f9c93970ccddf90ac41fc"
"""Of the prompts that the quickstart's recorded weights were trained and judged with."""


def test_the_prompts_of_simple_pages_stay_what_recorded_weights_were_trained_on():
    env = make("localization", designs="blocks", split="test", image_size=32)
    sha = hashlib.sha256()
    for number in range(40):
        observation, _ = env.reset(options={"task": f"test-{number:06d}"})
        for wording in ("full", "brief"):
            for frame in (NumberFrame(), NumberFrame("thousand"), NumberFrame("resized_pixel", (128, 128))):
                told = build_prompt(observation, env.tool_table, wording=wording, frame=frame, **env.prompt_options())
                sha.update(json.dumps([(message.role, message.text) for message in told]).encode())
    assert sha.hexdigest() == BLOCKS_PROMPTS


# ------------------------------------------------------------ arguments


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"designs": "block"}, "designs is 'block'; it must be one of .* Did you mean 'blocks'"),
        ({"designs": 3}, "designs is 3; it must be one of"),
        ({"indicators": "color-contrast", "designs": "layouts"}, "indicators is 'color-contrast'; it must be a list"),
        ({"indicators": [], "designs": "layouts"}, r"indicators is \[\]; it must be a list"),
        ({"indicators": ["color-contrst"], "designs": "layouts"}, "no indicator 'color-contrst'. Did you mean"),
        ({"indicators": ["color-contrast"] * 2, "designs": "layouts"}, "name each indicator once"),
        ({"indicators": ["color-contrast"], "designs": "blocks"}, "choose the flaws instead"),
        ({"flaws": ["clash"], "designs": "layouts"}, 'which only designs="blocks" has'),
        ({"elements": [1, 3], "designs": "layouts"}, 'which only designs="blocks" has'),
        ({"protocol": "released"}, "protocol is 'released'; it must be one of 'strict', 'release'. Did you mean"),
        ({"clean_share": 2, "designs": "layouts"}, "clean_share is 2; it must be a number from 0 to 1"),
        ({"clean_share": True, "designs": "layouts"}, "clean_share is True"),
        ({"image_size": 20, "designs": "layouts"}, "image_size is 20; it must be a whole number from 32 to 2048"),
        ({"metadata": 1}, "metadata is 1; it must be True or False"),
    ],
)
@each
def test_wrong_arguments_are_named_with_the_way_out(task, kwargs, words):
    with pytest.raises(ValueError, match=words):
        make(task, **kwargs)


@each
def test_the_share_of_good_designs_is_the_tasks_own_unless_it_is_chosen(task):
    assert Settings(task, "layouts").clean_share == CLEAN_SHARES[task]
    assert Settings(task, "blocks").clean_share == CLEAN_SHARES[task]
    assert Settings(task, "layouts", clean_share=0.1).clean_share == 0.1
    written = Settings(task, "layouts", indicators=["font-hierarchy", "layout-balance"])
    assert written == Settings(task, "layouts", indicators=("layout-balance", "font-hierarchy"))
