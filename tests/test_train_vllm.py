"""Sampling with vLLM, as far as it can be looked at without it: TRL's settings, and what is refused before any work."""

import importlib.util
import json
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from designgym.config import load_config
from designgym.errors import UserError
from designgym.train.config import TrainConfig
from designgym.train.stages import VllmSection

torch = pytest.importorskip("torch")
trl = pytest.importorskip("trl")

from qwen_stock import write_stock_folder  # noqa: E402
from sampled_answers import untrained  # noqa: E402

from designgym.agents.qwen.tokenizer import VISION_TOKENS  # noqa: E402
from designgym.train.checks import check  # noqa: E402
from designgym.train.methods.arguments import common_arguments  # noqa: E402
from designgym.train.methods.sampling import sampling_arguments  # noqa: E402

CONFIG = """
model: {model}
env:
  id: {env}
  kwargs: {kwargs}
prompt: {{wording: brief}}
stages:
  - {{name: rl, kind: {kind}, tasks: {{count: 8}}, steps: 1, batch_size: 4, num_generations: 4, learning_rate: 1e-6,
     max_completion_length: 16, vllm: {vllm}}}
evaluation: {{count: 8, agents: []}}
tracking: {{wandb: "off"}}
"""
PAGES = {"env": "designgym/AestheticLocalization-v0", "kwargs": "{designs: blocks, image_size: 64}"}


def configured(folder, overrides=(), **settings):
    given = {"model": "tiny", "kind": "grpo", "vllm": "{}", **PAGES, **settings}
    path = folder / "run.yaml"
    path.write_text(CONFIG.format(**given), encoding="utf-8")
    return load_config(path, TrainConfig, list(overrides))


@pytest.fixture
def installed(monkeypatch):
    """As if the package were there."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: SimpleNamespace() if name == "vllm" else find(name, *rest)
    )


@pytest.mark.parametrize(("kind", "arguments"), [("grpo", trl.GRPOConfig), ("rloo", trl.RLOOConfig)])
@pytest.mark.parametrize(
    ("section", "expected"),
    [
        (
            "{memory: 0.4, tensor_parallel: 2, max_model_length: 2048, sleep: true}",
            {
                "vllm_mode": "colocate", "vllm_gpu_memory_utilization": 0.4, "vllm_tensor_parallel_size": 2,
                "vllm_max_model_length": 2048, "vllm_enable_sleep_mode": True,
            },
        ),
        (
            "{mode: server, base_url: 'http://one:9000', group_port: 50000}",
            {"vllm_mode": "server", "vllm_server_base_url": "http://one:9000", "vllm_group_port": 50000},
        ),
    ],
)  # fmt: skip
def test_trl_takes_the_settings_and_no_token_of_pixels_is_sampled(kind, arguments, section, expected, tmp_path):
    stage = configured(tmp_path, kind=kind, vllm=section).stages[0]
    tokenizer = untrained().processor.tokenizer
    common = common_arguments(stage, 0, tmp_path, bf16=False, workers=0)
    made = arguments(**common, **sampling_arguments(stage, tokenizer))
    assert made.use_vllm
    assert {name: getattr(made, name) for name in expected} == expected
    bias = made.generation_kwargs["logit_bias"]
    assert set(made.generation_kwargs) == {"logit_bias"}  # vLLM's SamplingParams know no suppress_tokens
    assert bias == dict.fromkeys(tokenizer.convert_tokens_to_ids(list(VISION_TOKENS)), -100.0)
    json.dumps(made.generation_kwargs)  # a server gets them in the body of a request


@pytest.mark.parametrize("kind", ["grpo", "rloo"])
def test_without_the_package_the_way_out_is_told(kind, tmp_path):
    with pytest.raises(UserError, match=r"not installed.*pip install 'vllm>=0\.22,<=0\.31'.*leave vllm out"):
        check(configured(tmp_path, kind=kind))


def test_with_the_package_it_passes(tmp_path, installed):
    check(configured(tmp_path))


def test_episodes_of_several_calls_are_refused(tmp_path, installed):
    config = configured(tmp_path, ["allow_resize=true"], env="designgym/CanvasDrawing-v0", kwargs="{kinds: [is]}")
    with pytest.raises(UserError, match="samples with vllm, which answers once"):
        check(config)


def test_gpus_that_the_processes_cannot_share_are_refused(tmp_path, installed, monkeypatch):
    config = configured(tmp_path, vllm="{tensor_parallel: 2}")
    with pytest.raises(UserError, match="over 2 GPUs, which does not divide the 1 processes"):
        check(config)
    monkeypatch.setenv("WORLD_SIZE", "4")
    check(config)


def test_a_length_without_room_for_a_prompt_is_refused(tmp_path, installed):
    with pytest.raises(UserError, match=r"vllm\.max_model_length 16, prompt included"):
        check(configured(tmp_path, vllm="{max_model_length: 16}"))


def test_a_pixel_budget_that_only_the_training_knows_is_refused(tmp_path, installed):
    model = write_stock_folder(tmp_path / "model", "qwen2_5_vl")
    file = model / "preprocessor_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "max_pixels": 224 * 224}))
    pages = "{designs: blocks, image_size: 448}"
    config = configured(tmp_path, ["max_pixels=401408"], model=model, kwargs=pages)
    with pytest.raises(UserError, match=r"401408 pages have 448x448 px, and vLLM.*make them 224x224.*to 50176, that"):
        check(config)
    check(configured(tmp_path, ["max_pixels=50176", "allow_resize=true"], model=model, kwargs=pages))


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"mode": "server", "memory": 0.5, "sleep": True}, "no memory and sleep; that is said where the server"),
        ({"mode": "colocate", "base_url": "http://one:8000"}, "'colocate' has no base_url; that is for mode 'server'"),
    ],
)
def test_settings_of_the_other_mode_are_refused(settings, says):
    with pytest.raises(ValidationError, match=says):
        VllmSection(**settings)
