"""The configuration of a training run: environment, model, ordered stages, evaluation and tracking.

A run is read from a YAML file that ships with the package (``quickstart``) or lies anywhere. Everything that can be
wrong with it is found before any work; `designgym.train.checks` adds the checks that need the environment and the
model's files. The stages are in `designgym.train.stages`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from designgym.agents.qwen.tiny import TinyConfig
from designgym.agents.qwen.vocabulary import REASONING, VOCABULARIES, number_tokens, vocabulary
from designgym.agents.table import BOX_CONSTANTS, PLAYERS
from designgym.config import Arguments, ConfigPath, PathOrName, Section, Seed
from designgym.eval.config import AgentSection, EnvSection
from designgym.eval.wandb_run import PROJECT_PATTERN, Mode
from designgym.prompt import Wording
from designgym.train.stages import AnyStage, Stage

UNTRAINED = "untrained"
"""What the model before its first stage is called."""


class PromptSection(Section):
    """How the model is asked."""

    wording: Wording = "full"
    """``full`` explains the task and announces the tools; ``brief`` is one line, for models that start from
    nothing."""
    framing: str | None = None
    """How the task is put, where the environment's prompt offers a choice; None takes its default."""
    context: tuple[str, ...] | None = None
    """What is shown in each turn, likewise, such as ``[history, canvas]``."""


ADAPTED = (
    *("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
    *("in_proj_qkv", "in_proj_z", "in_proj_b", "in_proj_a", "out_proj"),
)
"""The linear layers of attention and of the layers after it, and those of linear attention, as in Qwen3.5."""


class LoraSection(Section):
    """Low-rank adapters on the language model; the vision tower stays as it is."""

    rank: int = Field(16, ge=1)
    """Rank of the adapters."""
    alpha: int = Field(32, ge=1)
    """Adapters are scaled by alpha / rank."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout on the adapters' input."""
    targets: tuple[str, ...] = Field(ADAPTED, min_length=1)
    """Names of the linear layers of the language model that get an adapter. Each must be there; of the default, those
    are taken that are."""
    load_in_4bit: bool = False
    """QLoRA: the linear layers of the language model are held in 4 bits (nf4, quantised twice) by bitsandbytes, and
    adapters in float32. Such a model is evaluated on weights of 4 bits, too. Experts of a mixture stay as they are.
    Not with FSDP or ZeRO-3."""


class GuardSection(Section):
    """What ends or explains a run that goes wrong without an error."""

    hang_seconds: float | None = Field(1800, gt=0)
    """After so long without a pass through the model, every process writes the stacks of its threads into
    ``stacks/`` in the run's folder; None: never."""
    stop_after_hang: bool = False
    """End the run then, with exit code 75, so that a scheduler can start it again from its last checkpoint."""
    collapse_share: float | None = Field(0.2, ge=0, lt=1)
    """A reinforced stage stops when its mean reward over ``collapse_steps`` steps is below this share of the best that
    it has been, if that is above 0; None: never."""
    collapse_steps: int = Field(50, ge=1)
    """Steps over which the means are taken."""


class RecordedFigure(Section):
    """A mean that was measured in other runs, with its range."""

    mean: float
    """The mean."""
    low: float
    """Lower end of the range; the row's note says of what."""
    high: float
    """Upper end of the range."""
    n: int = Field(..., ge=1)
    """Number of pages (of all seeds together, if there were several)."""


class RecordedRow(Section):
    """A row of the results table that was measured in another run, on the same pages; marked as such."""

    label: str
    """Its name in print."""
    note: str
    """Where it comes from: the command or document, and the seeds."""
    figures: dict[Literal["reward", "sampled", "iou", "none"], RecordedFigure]
    """Its figures by column: the reward (greedy and sampled), IoU on flawed pages, None accuracy on clean ones."""


class EvaluationSection(Section):
    """What is measured when the stages are done."""

    split: Literal["validation", "test"] = "test"
    """Pages that were never trained on."""
    first: int = Field(0, ge=0)
    """Number of the first page."""
    count: int = Field(1000, ge=1)
    """Number of pages; the same for every policy."""
    where: dict[str, Any] = Field(default_factory=dict)
    """Only those of these tasks about which this holds, such as ``{open_ends: 2}`` on the canvas."""
    seed: Seed = 0
    """Seed of sampling policies and of the bootstrap."""
    agents: tuple[AgentSection, ...] = tuple(
        AgentSection(name=name) for name in ("demonstrator", "heuristic", "random", *BOX_CONSTANTS)
    )
    """Policies to compare with; a name alone stands for ``name: it``. By default those that `designgym eval` lets play
    in the environment, and on simple pages (``designs: blocks``) the demonstrator."""
    sampled: bool = True
    """Evaluate each model at the temperature of its training too, not only greedily."""
    temperature: float = Field(1.0, ge=0.01, le=100)
    """Divides the logits of sampled answers."""
    batch_size: int = Field(100, ge=1)
    """Pages that a model answers at once."""
    max_new_tokens: int = Field(128, ge=1)
    """Longest answer in tokens."""
    untrained: bool = True
    """Evaluate the model before its first stage too."""
    recorded: tuple[RecordedRow, ...] = ()
    """Rows from other runs to set beside this one's, such as an upper reference that would cost as much again."""


class ValidationSection(Section):
    """Held-out tasks of the split ``validation``, played while the model is trained, as `designgym.eval` plays.

    They are played before the first step of each stage, every so many steps, and after the last; greedily, in batches
    and with a budget of tokens as in the evaluation.
    """

    every: int = Field(100, ge=1)
    """Steps between two validations."""
    first: int = Field(0, ge=0)
    """Number of the first task."""
    count: int = Field(100, ge=1)
    """Number of tasks; always the same ones."""
    where: dict[str, Any] = Field(default_factory=dict)
    """Only those of these tasks about which this holds, such as ``{open_ends: 2}`` on the canvas."""
    agents: tuple[AgentSection, ...] = ()
    """Policies whose scores stand beside the model's, such as constants and scripted agents; each plays once."""
    sampled: bool = False
    """Sample at the evaluation's temperature instead of answering greedily."""
    keep_best: bool = True
    """Whether a stage's model is the one that scored best; otherwise it is the last one."""
    second_reward: str | Arguments | None = None
    """A second judge of the same episodes, which nothing is trained or chosen by: a reward's name, or ``name`` with its
    arguments. Its score has curves of its own; see ``warn_after``."""
    warn_after: int = Field(3, ge=2)
    """Validations in a row over which the training reward is above, and the held-out or the second judge's score below,
    where they started, before there is a warning; by the last both must have moved by more than chance explains. Log
    more often than you validate, so that there is something to tell chance by."""


class TrackingSection(Section):
    """Where curves and pictures go besides the run's own ``metrics.jsonl``."""

    wandb: Mode = "offline"
    """``offline`` writes into the run's folder and asks for nothing; ``online`` needs a key in the environment."""
    project: str = Field("designgym", pattern=PROJECT_PATTERN)
    """Project in wandb, in characters that it takes."""
    examples: int = Field(16, ge=0)
    """Held-out pages whose predicted and true boxes are logged at each validation and after the run."""
    trajectories_every: int = Field(50, ge=0)
    """Steps between two looks at sampled episodes, with texts, rewards and images: in ``trajectories/`` as Parquet
    files, and in wandb. 0 keeps none."""
    trajectories: int = Field(4, ge=1)
    """Most episodes that are kept at such a step; copies of one task, if the groups are as large."""
    artifacts: bool = True
    """Whether configuration, manifest and each stage's adapter (up to 2 GB) go to wandb as artifacts; whole models
    never do."""
    report_to: tuple[Literal["trackio", "tensorboard"], ...] = ()
    """Further trackers that get the curves; both write below the run's folder."""


class TrainConfig(Section):
    """A whole run."""

    seed: Seed = 0
    """Seed of the model, the order of the data and the choice of training tasks."""
    model: PathOrName = "tiny"
    """``tiny`` builds the model described in the section of that name; otherwise a folder or a hub id of a Qwen-VL."""
    tiny: TinyConfig = TinyConfig()
    """The model that is built if ``model`` is ``tiny``; the run's seed is added to its own, and its vocabulary is that
    of the run's environment."""
    max_pixels: int | None = Field(None, ge=1)
    """Upper bound on the pixels of an image after resizing; the model's own by default."""
    allow_resize: bool = False
    """Accept pages that the model's processor resizes; otherwise such a size is taken for a mistake."""
    fast_vision: bool = False
    """Faster but equal vision passes for tiny models on a CPU."""
    env: EnvSection = EnvSection()
    """The environment."""
    prompt: PromptSection = PromptSection()
    """The prompt."""
    attention: Literal["sdpa", "eager", "flash_attention_2"] = "sdpa"
    """How attention is computed, in training and evaluation; ``flash_attention_2`` needs the package flash-attn and a
    GPU."""
    vision: Literal["frozen", "trained"] | None = None
    """Whether the vision tower (with the layers that join it to the language model) learns too where all weights are
    trained. None: frozen, as the authors of AesEval-Bench train; but trained in the tiny model, whose
    tower has learnt nothing yet."""
    peft: LoraSection | None = None
    """Train adapters instead of all weights."""
    stages: tuple[AnyStage, ...] = Field(..., min_length=1)
    """The stages in order."""
    evaluation: EvaluationSection = Field(EvaluationSection(), validate_default=True)
    """The evaluation after them."""
    validation: ValidationSection | None = None
    """Held-out tasks that are played during the stages; none by default."""
    tracking: TrackingSection = TrackingSection()
    """The tracking."""
    guards: GuardSection = GuardSection()
    """The guards."""
    output: ConfigPath | None = None
    """The run's folder; ``runs/<name of the config>`` by default."""
    workers: int = Field(0, ge=0)
    """Processes that draw pages and prepare batches beside the training; 0: the training does it itself."""
    threads: int | None = Field(None, ge=1)
    """Threads of the CPU's kernels; None leaves it to the environment (OMP_NUM_THREADS)."""

    @field_validator("env")
    @classmethod
    def _grid_fits_the_page(cls, env: EnvSection, before: ValidationInfo) -> EnvSection:
        tiny = before.data.get("tiny")
        if tiny is not None and tiny.reasoning and env.id not in REASONING:
            raise ValueError(f"nobody writes reasoning paths for '{env.id}'; set tiny.reasoning to false")
        if tiny is not None and before.data.get("model") == "tiny" and env.id in VOCABULARIES:
            number_tokens(tiny.number_step, vocabulary(env.id).number_limit)
        return env

    @field_validator("evaluation")
    @classmethod
    def _players_of_the_environment(cls, evaluation: EvaluationSection, before: ValidationInfo) -> EvaluationSection:
        env = before.data.get("env")
        if env is None or "agents" in evaluation.model_fields_set:
            return evaluation
        if env.id == EnvSection().id and env.kwargs.get("designs") == "blocks":
            return evaluation  # the demonstrator marks flaws of such pages alone
        others = tuple(AgentSection(name=name) for name in PLAYERS.get(env.id, ("random",)))
        return evaluation.model_copy(update={"agents": others})

    @field_validator("stages")
    @classmethod
    def _starts_exist(cls, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        counts = Counter(stage.name for stage in stages)
        for name, count in counts.items():
            if count > 1 or name in ("init", "previous", UNTRAINED):
                raise ValueError(f"'{name}' cannot name a stage: {'it is taken' if count > 1 else 'it has a meaning'}")
        known = {"previous", "init"}
        for stage in stages:
            if stage.start not in known:
                raise ValueError(
                    f"stage '{stage.name}' starts from '{stage.start}', which is no earlier stage; known there: "
                    f"{', '.join(sorted(known))}"
                )
            known.add(stage.name)
        return stages

    def tiny_model(self) -> TinyConfig:
        """The tiny model of this run: its vocabulary is that of the environment, its seed goes with the run's."""
        return self.tiny.model_copy(update={"env": self.env.id, "seed": self.tiny.seed + self.seed})

    def start_of(self, stage: Stage) -> str:
        """The name of the stage whose model this one starts from; ``init`` for the untrained one."""
        if stage.start != "previous":
            return stage.start
        position = [s.name for s in self.stages].index(stage.name)
        return "init" if position == 0 else self.stages[position - 1].name
