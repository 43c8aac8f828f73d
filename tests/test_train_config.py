"""Training configurations: the shipped ones hold, and every mistake is a sentence before any work."""

from pathlib import Path

import pytest

from designgym.config import bundled_names, load_config
from designgym.errors import UserError
from designgym.train.config import LoraSection, TrainConfig

pytest.importorskip("torch")
pytest.importorskip("trl")

from qwen_stock import write_stock_folder

from designgym.agents.qwen.local import load
from designgym.train.checks import check
from designgym.train.data import SEED_STRIDE, task_ids
from designgym.train.environments import stage_kwargs
from designgym.train.model.adapters import add_adapters, target_pattern
from designgym.train.model.files import read_model
from designgym.train.stage import load_start

BIG = "train/aesthetic-localization-qwen3-vl-4b"
TRAINING = [name for name in bundled_names() if name.startswith(("quickstart", "train/"))]
SHORT = "quickstart-short"


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("stock")
    return {kind: write_stock_folder(root / kind, kind) for kind in ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")}


def test_the_shipped_configurations_are_found():
    assert {"quickstart", "quickstart-short", BIG} <= set(TRAINING)


def brings_its_tasks(name):
    """Whether nothing has to be made first; the others are planned in another file."""
    return all(stage.tasks is not None for stage in load_config(name, TrainConfig).stages)


@pytest.mark.parametrize("name", filter(brings_its_tasks, TRAINING))
def test_every_shipped_configuration_that_brings_its_tasks_passes_all_checks(name, folders):
    config = load_config(name, TrainConfig)
    if config.model != "tiny":
        config = load_config(name, TrainConfig, [f"model={folders['qwen3_vl']}"])
    check(config)


@pytest.mark.parametrize("kind", ["qwen2_vl", "qwen2_5_vl", "qwen3_vl"])
def test_the_configuration_for_real_weights_takes_a_local_folder_of_any_family(kind, folders):
    config = load_config(BIG, TrainConfig, [f"model={folders[kind]}"])
    check(config)  # 448 px is a multiple of 28 and of 32
    family, image_processor = read_model(config)
    assert family.model_type == kind
    assert image_processor.patch_size * image_processor.merge_size == family.multiple
    local, bf16 = load_start(config, config.model)
    assert not bf16  # there is no GPU here
    adapted = [name for name, p in local.model.named_parameters() if p.requires_grad]
    assert adapted and all("lora_" in name and "language_model" in name for name in adapted)
    assert not any("visual" in name for name in adapted)


def test_the_hub_id_without_network_is_a_sentence():
    with pytest.raises(UserError, match="'Qwen/Qwen3-VL-4B-Instruct' is not a local folder, and offline mode is on"):
        check(load_config(BIG, TrainConfig))


def test_the_adapter_pattern_leaves_the_layers_of_the_same_name_in_the_vision_tower_alone():
    import re

    pattern = target_pattern(load_config(BIG, TrainConfig).peft)
    assert re.fullmatch(pattern, "model.language_model.layers.0.mlp.gate_proj")
    assert not re.fullmatch(pattern, "model.visual.blocks.0.mlp.gate_proj")
    assert not re.fullmatch(pattern, "model.language_model.embed_tokens")


def test_adapters_for_layers_that_do_not_exist_are_refused(folders):
    local = load(folders["qwen3_vl"], trainable=True)
    with pytest.raises(UserError, match=r"peft\.targets \['nope'\] name no layer"):
        add_adapters(local, LoraSection(targets=("nope",)), seed=0)


def test_adapters_are_not_put_on_adapters(folders):
    config = load_config(BIG, TrainConfig, [f"model={folders['qwen3_vl']}"])
    local, _ = load_start(config, config.model)
    assert add_adapters(local, config.peft, seed=0) is local


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("stages.2.num_generations=7", "num_generations 7 does not divide the 128 answers of a step"),
        ("stages.1.stepz=7", r"no setting 'stages\.1\.stepz'\. Did you mean 'stages\.1\.steps'"),
        ("stages.1.start=nope", "starts from 'nope', which is no earlier stage; known there: easy, init, previous"),
        ("stages.1.start=grpo", "starts from 'grpo', which is no earlier stage"),
        ("stages.1.name=easy", "'easy' cannot name a stage: it is taken"),
        ("stages.1.name=init", "'init' cannot name a stage"),
        ("stages.1.name=a/b", r"stages\.1"),
        ("stages.0.kind=ppo", "'stages.0.kind' must be one of 'sft', 'grpo', 'rloo', 'dpo', not 'ppo'"),
        ("stages=[]", "stages"),
        ("evaluation.agent=x", r"Did you mean 'evaluation\.agents'"),
        ("tiny.image_size=100", "not a multiple"),
        ("env.kwargs.split=test", "split"),
        ("stages.1.env={split: test}", "'stages.1.env': the split is not set here"),
        ("stages.1.name=untrained", "'untrained' cannot name a stage: it has a meaning"),
        ("stages.2.num_iterations=3", "save_every 200 is no multiple of num_iterations 3"),
        ("stages.2.temperature=1e-300", "'stages.2.temperature' should be greater than or equal to 0.01"),
        ("seed=3000000000", "'seed' should be less than 2147483648"),
        ("evaluation.seed=-1", "'evaluation.seed' should be greater than or equal to 0"),
        ("peft.targets=[]", "peft.targets"),
        ("tracking.project=a/b", "'tracking.project' should match pattern"),
    ],
)
def test_a_mistake_in_the_file_is_a_sentence(override, words):
    with pytest.raises(UserError, match=words):
        load_config("quickstart", TrainConfig, [override])


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("env.id=designgym/Nothing-v0", "no prompt for the environment 'designgym/Nothing-v0'"),
        ("env.kwargs.image_sise=128", r"no argument 'image_sise'.*image_size"),
        ("stages.1.history=growing", "growing.* are for episodes of several calls"),
        ("stages.1.demonstrations=2", "several demonstrations, which are for episodes of several calls"),
        ("env.kwargs.reward=iuo", "no reward 'iuo'"),
        ("stages.2.anneal_shaping=5", "the reward is 'hurdle'; it works on 'shaped' alone"),
        ("env.kwargs.image_size=256", "256x256 px, and the model's processor would make them 128x128"),
        ("env.kwargs.image_size=100", "Qwen3-VL takes multiples of 32; set env.kwargs.image_size to 96 or 128"),
        ("stages.1.env={colour: red}", "no argument 'colour'"),
        ("stages.1.teacher=nobody", "no agent 'nobody'"),
        ("stages.1.teacher={name: truth, options: {a: 1}}", "'truth' has no options"),
        ("stages.1.tasks.count=2000000", "asks for 2000000 tasks; the split has 1000000"),
        ("evaluation.count=20000", "tasks 0 to 19999; the split 'test' has 10000"),
        ("evaluation.agents=[nobody]", "no agent 'nobody'"),
        ("evaluation.agents=[qwen]", "the run evaluates its own models anyway"),
        ("evaluation.agents=[random, random]", "Two policies of the evaluation are called 'random'"),
        ("evaluation.agents=[{name: random, options: {pages: 3}}]", "'random' has no option 'pages'"),
        ("evaluation.agents=[{name: random, label: untrained}]", "is called 'untrained', and so is a model of the run"),
        ("evaluation.agents=[{name: random, label: sft-greedy}]", "is called 'sft-greedy', and so is a model"),
        ("evaluation.agents=[{name: random, label: 'sft, rescaled'}]", "is called 'sft, rescaled', and so is a model"),
        ("stages.1.label=untrained", "Two policies of the evaluation are called 'untrained'"),
        ("env.kwargs.max_episode_steps=3", "no argument 'max_episode_steps'"),
        ("max_pixels=1000", "max_pixels is 1000, and the model's processor makes no image of less than 1024"),
        ("max_pixels=4096", "128x128 px, and the model's processor would make them 64x64"),
        ("model=./does/not/exist", "is not a local folder"),
    ],
)
def test_a_mistake_that_needs_a_look_is_a_sentence_before_any_work(override, words):
    with pytest.raises(UserError, match=words):
        check(load_config(SHORT, TrainConfig, [override]))


def test_pages_smaller_than_the_tiny_models_are_no_mistake():
    check(load_config(SHORT, TrainConfig, ["env.kwargs.image_size=96"]))


def test_pages_that_are_resized_can_be_allowed():
    check(load_config(SHORT, TrainConfig, ["env.kwargs.image_size=256", "allow_resize=true"]))


def test_a_model_folder_without_weights_is_found_out_before_any_work(tmp_path):
    folder = write_stock_folder(tmp_path / "model", "qwen3_vl", weights=False)
    with pytest.raises(UserError, match="holds no weights"):
        check(load_config(BIG, TrainConfig, [f"model={folder}"]))


def test_fast_vision_is_refused_for_families_without_it(folders):
    with pytest.raises(UserError, match=r"fast_vision is for Qwen3-VL models, and .* is a Qwen2\.5-VL"):
        check(load_config(BIG, TrainConfig, [f"model={folders['qwen2_5_vl']}", "fast_vision=true"]))


def test_stages_override_the_environments_arguments():
    config = load_config("quickstart", TrainConfig)
    assert stage_kwargs(config, config.stages[0])["elements"] == [1, 1]
    assert stage_kwargs(config, config.stages[2])["elements"] == config.env.kwargs["elements"]
    assert all(stage_kwargs(config, stage)["split"] == "train" for stage in config.stages)


def test_a_stage_starts_from_the_one_before_unless_told_otherwise():
    config = load_config("quickstart", TrainConfig, ["stages.2.start=easy"])
    assert [config.start_of(stage) for stage in config.stages] == ["init", "easy", "easy"]
    assert load_config("quickstart", TrainConfig, ["stages.2.start=init"]).start_of(config.stages[1]) == "easy"


def test_runs_with_different_seeds_train_on_different_tasks():
    ids = [f"train-{i:06d}" for i in range(1_000_000)]
    tasks = load_config("quickstart", TrainConfig).stages[1].tasks
    by_seed = [task_ids(tasks, seed, ids) for seed in range(3)]
    assert by_seed[0][0] == f"train-{tasks.first:06d}"
    assert by_seed[1][0] == f"train-{tasks.first + SEED_STRIDE:06d}"
    assert len(set().union(*by_seed)) == 3 * tasks.count


def test_runs_with_different_seeds_train_on_different_tasks_of_a_small_split():
    tasks = load_config("quickstart", TrainConfig, ["stages.1.tasks={first: 3, count: 5}"]).stages[1].tasks
    by_seed = [task_ids(tasks, seed, [f"t{number}" for number in range(50)]) for seed in range(11)]
    assert by_seed[1] == ["t8", "t9", "t10", "t11", "t12"]
    assert len({task for each in by_seed[:10] for task in each}) == 50
    assert by_seed[10] == by_seed[0]


def test_no_stage_of_a_shipped_configuration_sees_tasks_again_that_its_start_was_trained_on():
    for name in filter(brings_its_tasks, TRAINING):
        config = load_config(name, TrainConfig)
        seen: dict[str, set[int]] = {"init": set()}
        for stage in config.stages:
            numbers = set(range(stage.tasks.first, stage.tasks.first + stage.tasks.count))
            before = seen[config.start_of(stage)]
            assert not before & numbers, (name, stage.name)
            assert max(numbers) < SEED_STRIDE  # or seeds would share them
            seen[stage.name] = before | numbers


def test_an_unwritable_or_foreign_output_is_refused_before_any_work(tmp_path):
    from designgym.train.folder import check_folder

    config = load_config(SHORT, TrainConfig)
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="is a file; the run needs a folder"):
        check_folder(tmp_path / "file", config)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.tex").write_text("")
    with pytest.raises(UserError, match="is not empty and holds no run"):
        check_folder(tmp_path / "full", config)
    with pytest.raises(UserError, match="cannot be written"):
        check_folder(Path("/proc/nothing/here"), config)
    check_folder(tmp_path / "new" / "run", config)
    assert not (tmp_path / "new").exists()
