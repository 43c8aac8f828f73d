"""The stages of a training run as a configuration writes them: what all have in common, and what each method adds.

A method is a ``kind`` of stage. Its section stands here; what trains it is named in `designgym.train.methods`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from designgym.agents.qwen.dialogue import HistoryKind
from designgym.config import ConfigPath, Section
from designgym.eval.config import AgentSection, without_split

TRACES = "traces"
"""The teacher that plays recorded episodes again."""


class TaskRange(Section):
    """Training tasks by number; each seed shifts them, see `designgym.train.data.task_ids`."""

    first: int = Field(0, ge=0)
    """Number of the first task."""
    count: int = Field(..., ge=1)
    """How many tasks; they are repeated if the steps need more."""
    where: dict[str, Any] = Field(default_factory=dict)
    """Only those of these tasks about which this holds, such as ``{open_ends: 2}`` on the canvas."""


class Stage(Section):
    """What the stages of all methods share."""

    name: str = Field(..., pattern=r"^[a-z][a-z0-9-]{0,31}$")
    """Name of the stage's folder and of its row in the results."""
    label: str = ""
    """The row's name in print; the name by default."""
    start: str = "previous"
    """``previous``: the stage before (or the untrained model); ``init``: the untrained model; or a stage's name."""
    tasks: TaskRange | None = None
    """Training tasks; only the teacher ``traces``, a stage's ``data`` and pairs of traces bring their own."""
    env: dict[str, Any] = Field(default_factory=dict)
    """Arguments of the environment that differ in this stage, such as easier pages for a first stage."""
    history: HistoryKind = "windowed"
    """How the model is shown what came before, in environments of several calls: ``windowed`` asks anew in each turn
    and trains on each; ``growing`` puts the whole episode with all its images into one sequence."""
    steps: int = Field(..., ge=1)
    """Optimiser steps."""
    batch_size: int = Field(..., ge=1)
    """Examples (pairs in dpo, sampled answers in grpo and rloo) in a forward pass and process."""
    accumulation: int = Field(1, ge=1)
    """Forward passes whose gradients make one step."""
    learning_rate: float = Field(..., gt=0)
    """Peak of the schedule."""
    scheduler: Literal["constant", "constant_with_warmup", "linear", "cosine"] = "cosine"
    """Shape of the schedule."""
    warmup_steps: int = Field(0, ge=0)
    """Steps in which the learning rate rises to its peak."""
    warmup_ratio: float = Field(0.0, ge=0, lt=1)
    """The same as a share of all steps, rounded up; one of the two at most."""
    optimizer: Literal["adamw", "adamw_8bit", "paged_adamw_8bit"] = "adamw"
    """AdamW with states of 32 bits, or of 8 bits by bitsandbytes, which are a quarter of the memory; ``paged`` ones
    move to the CPU's memory where a GPU has no room."""
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

    @model_validator(mode="after")
    def _one_warmup(self) -> Stage:
        if self.warmup_steps and self.warmup_ratio:
            raise ValueError("it has warmup_steps and warmup_ratio; leave one of them out")
        return self


class SftStage(Stage):
    """Supervised fine-tuning: the model imitates a teacher's answers."""

    kind: Literal["sft"]
    """``sft``."""
    teacher: AgentSection = AgentSection(name="demonstrator")
    """The agent that is imitated, by name (or with ``options``); ``truth`` answers with the true labels, ``traces``
    plays recorded episodes again, see `designgym.train.turns.traces`."""
    data: ConfigPath | None = None
    """A folder that ``designgym data aesthetics`` wrote; its pairs are learnt in place of a teacher's answers."""
    demonstrations: int = Field(1, ge=1)
    """So many episodes of each task, which the teacher plays with a seed each, in environments of several calls."""

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


class VllmSection(Section):
    """Answers are sampled by vLLM instead of transformers, in environments of one answer.

    It has not been run yet (`designgym.train.methods.vllm`).
    """

    mode: Literal["colocate", "server"] = "colocate"
    """``colocate``: on the GPUs of the training, settled by the next four fields; ``server``: by ``vllm serve``
    elsewhere, which has such settings of its own."""
    memory: float = Field(0.3, gt=0, lt=1)
    """Share of a GPU's memory that a colocated vLLM takes."""
    tensor_parallel: int = Field(1, ge=1)
    """GPUs that a colocated model is spread over."""
    max_model_length: int | None = Field(None, ge=1)
    """Longest prompt and answer together, in tokens; None: what the model can."""
    sleep: bool = False
    """Free the memory of a colocated vLLM while the weights are updated."""
    base_url: str = "http://localhost:8000"
    """Where the server listens; `designgym.train.methods.vllm` says how to start it."""
    group_port: int = Field(51216, ge=1, le=65535)
    """Port over which weights are sent to the server."""

    @model_validator(mode="after")
    def _settings_of_the_mode(self) -> VllmSection:
        of_server = {"base_url", "group_port"}
        given = self.model_fields_set - {"mode"}
        foreign = given & of_server if self.mode == "colocate" else given - of_server
        if foreign:
            where = "is for mode 'server'" if self.mode == "colocate" else "is said where the server is started"
            raise ValueError(f"mode '{self.mode}' has no {' and '.join(sorted(foreign))}; that {where}")
        return self


class SamplingStage(Stage):
    """What reinforced stages share: answers are sampled in groups and reinforced by the environment's reward."""

    num_generations: int = Field(8, ge=2)
    """Sampled answers a page; must divide batch_size x accumulation."""
    temperature: float = Field(1.0, ge=0.01, le=100)
    """Divides the logits when sampling."""
    num_iterations: int = Field(1, ge=1)
    """Updates on each batch of sampled answers."""
    epsilon: float = Field(0.2, gt=0)
    """Clipping range of the probability ratio; without effect where each batch is used once."""
    epsilon_high: float | None = Field(None, gt=0)
    """Upper end of that range where it differs; None: ``epsilon``."""
    max_completion_length: int = Field(128, ge=1)
    """Longest answer in tokens; in environments of several calls, longest turn."""
    anneal_shaping: int | None = Field(None, ge=1)
    """Steps over which the weight of the reward ``shaped`` falls evenly from its own to 0; None keeps it."""
    group_rewards: tuple[str | dict[str, Any], ...] = ()
    """Rewards that compare the answers of a group, such as ``[{name: diversity, weight: 0.2}]``: added to what the
    environment pays. The sum is not clipped."""
    vllm: VllmSection | None = None
    """Sample with vLLM; None: with transformers."""

    @model_validator(mode="after")
    def _has_tasks(self) -> SamplingStage:
        if self.tasks is None:
            raise ValueError("it needs 'tasks': which ones it trains on, as {first: 0, count: 1000}")
        return self

    @model_validator(mode="after")
    def _groups_are_whole(self) -> SamplingStage:
        answers = self.batch_size * self.accumulation
        if answers % self.num_generations:
            raise ValueError(
                f"num_generations {self.num_generations} does not divide the {answers} answers of a step "
                f"(batch_size {self.batch_size} x accumulation {self.accumulation}); change one of the three"
            )
        if self.save_every % self.num_iterations:
            raise ValueError(
                f"save_every {self.save_every} is no multiple of num_iterations {self.num_iterations}: between updates "
                "on one batch of answers a run cannot go on; set it to a multiple"
            )
        return self


class GrpoStage(SamplingStage):
    """Group-relative policy optimisation.

    Without scaling of the rewards (``scale_rewards: none``) its advantages are those of RLOO but for the factor
    (n - 1) / n of a group of n; that is how RLOO is had on episodes of several turns.
    """

    kind: Literal["grpo"]
    """``grpo``."""
    beta: float = Field(0.0, ge=0)
    """Weight of the KL term that holds the policy to its start, in nats per token; its gradient is that of the reverse
    KL (DeepSeek-V3.2, arXiv 2512.02556). Above 0 a second copy of the model is kept; of adapters, a copy of these."""
    loss_type: Literal["dapo", "grpo", "dr_grpo", "bnpo"] = "dapo"
    """TRL's name of the loss."""
    scale_rewards: Literal["group", "batch", "none"] = "group"
    """By whose standard deviation advantages are divided."""
    filter_zero_variance: bool = False
    """Leave groups whose answers all earned the same out of the loss, which must be ``dapo``: without it they still
    count among its tokens, and are held to the start by ``beta``. Over several turns they always are left out."""
    max_turns: int | None = Field(None, ge=1)
    """Turns after which an episode is left unfinished and scored as it stands; None: the environment's budget."""
    max_rows: int | None = Field(None, ge=1)
    """Most rows (turns, or growing episodes) in a forward pass, which holds batch_size episodes; of more, so many are
    drawn. None trains on all."""


class RlooStage(SamplingStage):
    """REINFORCE with the other answers of the group as the baseline, in environments of one answer.

    TRL's trainer plays no environments of several turns: there, take ``grpo`` with ``scale_rewards: none``.
    """

    kind: Literal["rloo"]
    """``rloo``."""
    beta: float = Field(0.05, ge=0)
    """Weight of the KL penalty, which RLOO takes off the reward of the whole answer."""
    normalize_advantages: bool = False
    """Standardise advantages over the batch."""


class DpoStage(Stage):
    """Direct preference optimisation: of two recorded episodes of a task, the one that earned more is preferred.

    Replies are compared at the first turn where the two episodes call differently, see
    `designgym.train.turns.preferences`. A second copy of the model is kept; of adapters, a copy of these. TRL switches
    dropout off.
    """

    kind: Literal["dpo"]
    """``dpo``."""
    traces: ConfigPath | tuple[ConfigPath, ...]
    """Traces of the split ``train``, or folders that hold some at any depth, such as those of an evaluation with
    several trials of each task."""
    min_gap: float = Field(0.05, gt=0, le=1)
    """Least difference in reward between the two of a pair."""
    pairs_per_task: int = Field(1, ge=1)
    """At most so many pairs of a task, those with the largest difference first."""
    beta: float = Field(0.1, gt=0)
    """How strongly the policy is held to its start."""
    loss_type: Literal["sigmoid", "ipo", "hinge"] = "sigmoid"
    """TRL's name of the loss."""
    label_smoothing: float = Field(0.0, ge=0, lt=0.5)
    """Share of pairs that are taken for wrongly ordered, for the loss ``sigmoid``: TRL's ``robust``."""

    @model_validator(mode="after")
    def _brings_its_tasks(self) -> DpoStage:
        if self.tasks is not None:
            raise ValueError("the traces bring tasks of their own; leave 'tasks' out")
        if self.label_smoothing and self.loss_type != "sigmoid":
            raise ValueError(f"label_smoothing is for the loss 'sigmoid', not '{self.loss_type}'; leave it out")
        return self


AnyStage = Annotated[SftStage | GrpoStage | RlooStage | DpoStage, Field(discriminator="kind")]
