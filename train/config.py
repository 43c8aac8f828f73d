"""The configuration of a training run: environment, model, ordered stages, evaluation and tracking.

A run is read from a YAML file that ships with the package (``quickstart``) or lies anywhere. Everything that can be
wrong with it is found before any work; `designgym.train.plan` adds the checks that need the environment and the
model's files.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from designgym.agents.qwen.dialogue import HistoryKind
from designgym.agents.qwen.tiny import TinyConfig
from designgym.agents.qwen.vocabulary import VOCABULARIES, number_tokens, vocabulary
from designgym.agents.table import BOX_CONSTANTS
from designgym.config import ConfigPath, PathOrName, Section, Seed
from designgym.eval.config import AgentSection, EnvSection, without_split
from designgym.eval.wandb_run import PROJECT_PATTERN, Mode
from designgym.prompt import Wording

TRACES = "traces"
"""The teacher that plays recorded episodes again."""
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


class LoraSection(Section):
    """Low-rank adapters on the language model; the vision tower stays as it is."""

    rank: int = Field(16, ge=1)
    """Rank of the adapters."""
    alpha: int = Field(32, ge=1)
    """Adapters are scaled by alpha / rank."""
    dropout: float = Field(0.0, ge=0, lt=1)
    """Dropout on the adapters' input."""
    targets: tuple[str, ...] = Field(
        ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"), min_length=1
    )
    """Names of the linear layers of the language model that get an adapter."""


class TaskRange(Section):
    """Training tasks by number; each seed shifts them, see `designgym.train.data.task_ids`."""

    first: int = Field(0, ge=0)
    """Number of the first task."""
    count: int = Field(..., ge=1)
    """How many tasks; they are repeated if the steps need more."""
    where: dict[str, Any] = Field(default_factory=dict)
    """Only those of these tasks about which this holds, such as ``{open_ends: 2}`` on the canvas."""


class Stage(Section):
    """What supervised and reinforced stages share."""

    name: str = Field(..., pattern=r"^[a-z][a-z0-9-]{0,31}$")
    """Name of the stage's folder and of its row in the results."""
    label: str = ""
    """The row's name in print; the name by default."""
    start: str = "previous"
    """``previous``: the stage before (or the untrained model); ``init``: the untrained model; or a stage's name."""
    tasks: TaskRange | None = None
    """Training tasks; only the teacher ``traces`` and a stage's ``data`` bring their own."""
    env: dict[str, Any] = Field(default_factory=dict)
    """Arguments of the environment that differ in this stage, such as easier pages for a first stage."""
    steps: int = Field(..., ge=1)
    """Optimiser steps."""
    batch_size: int = Field(..., ge=1)
    """Examples (in grpo: sampled answers) in a forward pass and process."""
    accumulation: int = Field(1, ge=1)
    """Forward passes whose gradients make one step."""
    learning_rate: float = Field(..., gt=0)
    """Peak of the schedule."""
    scheduler: Literal["constant", "constant_with_warmup", "linear", "cosine"] = "cosine"
    """Shape of the schedule."""
    warmup_steps: int = Field(0, ge=0)
    """Steps in which the learning rate rises to its peak."""
    weight_decay: float = Field(0.0, ge=0)
    """AdamW's weight decay."""
    adam_beta2: float = Field(0.999, gt=0, lt=1)
    """AdamW's second moment decay; .98 follows the gradients of a model from nothing faster."""
    max_grad_norm: float = Field(1.0, gt=0)
    """Gradients are clipped to this norm."""
    gradient_checkpointing: bool = False
    """Recompute activations in the backward pass: less memory, more time."""
    log_every: int = Field(10, ge=1)
    """Steps between two points of the curves."""
    save_every: int = Field(200, ge=1)
    """Steps between two checkpoints, from which an interrupted run goes on."""
    validate_every: int | None = Field(None, ge=1)
    """Steps between two validations; None takes the section's."""
    evaluate: bool = True
    """Whether the stage's model is evaluated."""

    @field_validator("env")
    @classmethod
    def _split_has_one_place(cls, kwargs: dict[str, Any]) -> dict[str, Any]:
        return without_split(kwargs)


class SftStage(Stage):
    """Supervised fine-tuning: the model imitates a teacher's answers."""

    kind: Literal["sft"]
    """``sft``."""
    teacher: AgentSection = AgentSection(name="demonstrator")
    """The agent that is imitated, by name (or with ``options``); ``truth`` answers with the true labels, ``traces``
    plays recorded episodes of several calls again (see `designgym.train.turns.traces`)."""
    data: ConfigPath | None = None
    """A folder that ``designgym data aesthetics`` wrote; its pairs are learnt in place of a teacher's answers."""
    demonstrations: int = Field(1, ge=1)
    """So many episodes of each task, which the teacher plays with a seed each, in environments of several calls."""
    history: HistoryKind = "windowed"
    """How the model is shown what came before, in environments of several calls; see `GrpoStage`."""

    @model_validator(mode="after")
    def _has_tasks(self) -> SftStage:
        if self.data is not None:
            if self.tasks is not None or "teacher" in self.model_fields_set:
                raise ValueError("'data' brings questions and answers of its own; leave 'tasks' and 'teacher' out")
            return self
        if (self.tasks is None) != (self.teacher.name == TRACES):
            raise ValueError(
                f"the teacher '{TRACES}' brings its own tasks; leave 'tasks' out"
                if self.tasks is not None
                else "it needs 'tasks': which ones it trains on, as {first: 0, count: 1000}"
            )
        return self


class GrpoStage(Stage):
    """Group-relative policy optimisation: answers are sampled in groups and reinforced by the environment's reward."""

    kind: Literal["grpo"]
    """``grpo``."""
    num_generations: int = Field(8, ge=2)
    """Sampled answers a page; must divide batch_size x accumulation."""
    temperature: float = Field(1.0, ge=0.01, le=100)
    """Divides the logits when sampling."""
    beta: float = Field(0.0, ge=0)
    """Weight of the KL term that holds the policy to its start; above 0 a second copy of the model is kept."""
    loss_type: Literal["dapo", "grpo", "dr_grpo", "bnpo"] = "dapo"
    """TRL's name of the loss."""
    scale_rewards: Literal["group", "batch", "none"] = "group"
    """By whose standard deviation advantages are divided."""
    num_iterations: int = Field(1, ge=1)
    """Updates on each batch of sampled answers."""
    epsilon: float = Field(0.2, gt=0)
    """Clipping range of the probability ratio; without effect where each batch is used once."""
    max_completion_length: int = Field(128, ge=1)
    """Longest answer in tokens; in environments of several calls, longest turn."""
    history: HistoryKind = "windowed"
    """How the model is shown what came before, in environments of several calls: ``windowed`` asks anew in each turn
    and trains on each; ``growing`` puts the whole episode with all its images into one sequence."""
    max_turns: int | None = Field(None, ge=1)
    """Turns after which an episode is left unfinished and scored as it stands; None: the environment's budget."""
    anneal_shaping: int | None = Field(None, ge=1)
    """Steps over which the weight of the reward ``shaped`` falls evenly from its own to 0; None keeps it."""
    group_rewards: tuple[str | dict[str, Any], ...] = ()
    """Rewards that compare the answers of a group, such as ``[{name: diversity, weight: 0.2}]``: added to what the
    environment pays. The sum is not clipped."""
    max_rows: int | None = Field(None, ge=1)
    """Most rows (turns, or growing episodes) in a forward pass, which holds batch_size episodes; of more, so many are
    drawn. None trains on all."""

    @model_validator(mode="after")
    def _has_tasks(self) -> GrpoStage:
        if self.tasks is None:
            raise ValueError("it needs 'tasks': which ones it trains on, as {first: 0, count: 1000}")
        return self

    @model_validator(mode="after")
    def _groups_are_whole(self) -> GrpoStage:
        answers = self.batch_size * self.accumulation
        if answers % self.num_generations:
            raise ValueError(
                f"num_generations {self.num_generations} does not divide the {answers} answers of a step "
                f"(batch_size {self.batch_size} x accumulation {self.accumulation})"
            )
        if self.save_every % self.num_iterations:
            raise ValueError(
                f"save_every {self.save_every} is no multiple of num_iterations {self.num_iterations}: between updates "
                "on one batch of answers a run cannot go on"
            )
        return self


AnyStage = Annotated[SftStage | GrpoStage, Field(discriminator="kind")]


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
    """Policies to compare with; a name alone stands for ``name: it``."""
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


class TrackingSection(Section):
    """Where curves and pictures go besides the run's own ``metrics.jsonl``."""

    wandb: Mode = "offline"
    """``offline`` writes into the run's folder and asks for nothing; ``online`` needs a key in the environment."""
    project: str = Field("designgym", pattern=PROJECT_PATTERN)
    """Project in wandb, in characters that it takes."""
    examples: int = Field(16, ge=0)
    """Held-out pages whose predicted and true boxes are logged after each stage."""
    trajectories_every: int = Field(50, ge=0)
    """Steps between two looks at sampled episodes of several turns, with texts, rewards and images: in
    ``trajectories/`` as Parquet files, and in wandb. 0 keeps none."""
    trajectories: int = Field(4, ge=1)
    """Most episodes that are kept at such a step; copies of one task, if the groups are as large."""


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
    peft: LoraSection | None = None
    """Train adapters instead of all weights."""
    stages: tuple[AnyStage, ...] = Field(..., min_length=1)
    """The stages in order."""
    evaluation: EvaluationSection = EvaluationSection()
    """The evaluation after them."""
    validation: ValidationSection | None = None
    """Held-out tasks that are played during the stages; none by default."""
    tracking: TrackingSection = TrackingSection()
    """The tracking."""
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
        if tiny is not None and before.data.get("model") == "tiny" and env.id in VOCABULARIES:
            number_tokens(tiny.number_step, vocabulary(env.id).number_limit)
        return env

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
