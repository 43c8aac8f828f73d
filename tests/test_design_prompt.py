"""The workbench's prompt: what is said in every condition, what is shown, and what is left out."""

import json
import re

import numpy as np
import pytest

from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.envs.design.actions import ACTIONS
from designgym.envs.design.plan import plan_table
from designgym.envs.design.prompt import HISTORY_CALLS, Context, PromptSettings, build_prompt
from designgym.envs.design.tools import action_table
from designgym.errors import UserError
from designgym.history import Turn
from designgym.parse import parse_calls
from designgym.prompt import ImagePart

DESIGN = "designgym/DesignActions-v0"
TABLE = action_table()
TASK = "Make a red poster.\n\nFiles that can be imported:\n- fox.png: fox"
STANDING = 'At work: layout_designer, on a document of 8 x 4 px with 0 layers.\nLayers: {"layers": []}'


def square(level):
    image = np.full((8, 8, 3), 128, np.uint8)
    image[:4] = level
    return image


def call(number):
    arguments = {"layerName": f"text {number}", "textString": "Hi"}
    return {"name": "CreateText", "arguments": arguments}


def played(calls):
    turns = [Turn(None, "Calls left: 60.\nAt work: layout_designer, with no open document.", image=square(0))]
    for n in range(1, calls + 1):
        turns.append(Turn(call(n), f"Wrote {n}.\nCalls left: {60 - n}.\n{STANDING}", image=square(n), round=n - 1))
    return turns


def ask(calls=0, table=TABLE, page=(8, 4), **options):
    history = played(calls)
    observation = {"image": history[-1].image, "task": TASK, "text": history[-1].text}
    return build_prompt(observation, table, history=history, page=page if calls else None, **options)


def pictures(messages):
    return [part.image for message in messages for part in message.parts if isinstance(part, ImagePart)]


def test_the_user_message_has_brief_files_calls_result_and_the_page_alone():
    told, user = ask(2)
    assert user.text.startswith(f"The client's brief:\n{TASK}\n\n")
    assert "Result of your last call: Wrote 2.\nCalls left: 58.\n" in user.text
    assert STANDING in user.text
    (page,) = pictures([told, user])
    assert page.shape == (4, 8, 3) and (page == 2).all()


def test_without_a_document_there_is_no_image_and_the_prompt_says_so():
    told, user = ask()
    assert pictures([told, user]) == []
    assert user.text.endswith("There is no open document yet.")
    assert "You have made no calls yet." in user.text


def test_what_the_context_lacks_is_neither_shown_nor_mentioned():
    told, user = ask(3, context=Context(history=False, image=False, layers=False))
    assert pictures([told, user]) == []
    assert "Layers: " not in user.text and "recent calls" not in user.text and "The page that" not in user.text
    assert "open document of who acted last." not in told.text.split("\n- When")[0]
    assert "Calls left: 57." in user.text


def test_the_history_is_the_latest_calls_written_so_that_an_imitation_would_be_read():
    _, user = ask(HISTORY_CALLS + 5)
    lines = user.text.split("oldest first:\n")[1].split("\n\n")[0].split("\n")
    assert [re.search(r"text (\d+)", line)[1] for line in lines] == [str(n) for n in range(6, HISTORY_CALLS + 6)]
    read, result = lines[0].split(" -> ")
    assert result == "Wrote 6."
    assert parse_calls(read, TABLE).calls[0].action == call(6)


def test_a_growing_conversation_begins_with_the_image_as_it_is_and_no_history():
    told, user = ask(growing=True)
    assert [image.shape for image in pictures([told, user])] == [(8, 8, 3)]
    assert "recent calls" not in user.text and "no calls yet" not in user.text
    assert "stays in the conversation" in told.text
    with pytest.raises(UserError, match="keep 'image' in the context"):
        ask(growing=True, context=Context(image=False))


def test_plans_are_told_every_action_with_its_parameters():
    told, user = ask(table=plan_table(), mode="plan")
    assert "one call of execute_plan" in told.text and "exactly one tool call" not in told.text
    for action in ACTIONS.values():
        (line,) = [line for line in told.text.split("\n") if line.startswith(f"- {action.name}(")]
        assert all(f"{each.name}: " in line for each in action.parameters)
    assert "no open document yet" not in user.text
    interactive = ask()[0].text
    assert "- DrawStar(" not in interactive
    assert "- DrawStar: " in ask(tools_in_text=True)[0].text


def test_criteria_are_the_only_difference_of_that_framing():
    plain, more = ask(1)[0].text, ask(1, framing="criteria")[0].text
    assert "nothing else counts" in more and "nothing else counts" not in plain
    assert ask(1)[1].text == ask(1, framing="criteria")[1].text
    with pytest.raises(UserError, match="Did you mean 'criteria'"):
        ask(framing="criterai")


@pytest.mark.parametrize("mode", ["interactive", "plan"])
def test_the_brief_wording_is_one_message_that_names_every_action(mode):
    (user,) = ask(1, wording="brief", mode=mode)
    assert user.text.startswith(TASK)
    assert all(f"{name}(" in user.text for name in ACTIONS)
    assert ("execute_plan" in user.text) == (mode == "plan")
    with pytest.raises(UserError, match="brief wording has no framing 'criteria'"):
        ask(wording="brief", framing="criteria")


@pytest.mark.parametrize("text", ["<|image_pad|>", "<|im_end|>", "<tool_call>", "</think>", "\ud800"])
def test_what_an_agent_wrote_cannot_pass_for_special_tokens_or_break_the_encoding(text):
    layers = json.dumps({"layers": [{"layerName": text}]}, ensure_ascii=False)
    turn = Turn({"name": "CreateText", "arguments": {"layerName": text}}, f"Wrote {text}.\nLayers: {layers}")
    observation = {"image": square(0), "task": TASK, "text": turn.text}
    for wording in ("full", "brief"):
        for message in build_prompt(observation, TABLE, history=[turn], wording=wording, page=(8, 4)):
            assert text not in message.text
            message.text.encode()


def test_agents_find_builder_and_settings_by_the_environments_id():
    assert prompt_builder(DESIGN) is build_prompt
    chosen = prompt_settings(DESIGN, framing="criteria", context=["layers", "image"])
    assert chosen == {"framing": "criteria", "context": Context(False, True, True)}
    assert PromptSettings().keywords() == {"framing": "canonical", "context": Context()}
    with pytest.raises(UserError, match=r"no component 'layer'\. Did you mean 'layers'"):
        PromptSettings(context=["layer"])
