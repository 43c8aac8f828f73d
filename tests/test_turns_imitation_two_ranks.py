"""Two processes imitate together: one step on the tokens of both, and equal weights."""

import pickle

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from imitating import demonstrations  # noqa: E402
from turn_training import farthest, local_model  # noqa: E402
from two_ranks import launch  # noqa: E402

from designgym.agents.qwen.dialogue import image_fields  # noqa: E402


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    folder = tmp_path_factory.mktemp("two-ranks")
    code, printed = launch("imitation_two_ranks.py", str(folder))
    assert code == 0, printed
    return folder


def by_hand(local, rows):
    """The mean loss over all tokens, and the weights after a step at rate 1; each row alone, without padding."""
    model, processor = local.model, local.processor
    count = sum(sum(row.mask) for row in rows)
    total = 0.0
    for row in rows:
        ids = torch.tensor([row.prompt_ids + row.completion_ids])
        is_image = (ids == processor.image_token_id).long()
        output = model(input_ids=ids, mm_token_type_ids=is_image, **image_fields(processor, row.images))
        chosen = output.logits[0, len(row.prompt_ids) - 1 : -1].log_softmax(-1)
        chosen = chosen.gather(1, ids[0, len(row.prompt_ids) :, None])[:, 0]
        loss = -(chosen * torch.tensor(row.mask)).sum() / count
        loss.backward()
        total += loss.item()
    return total, {name: (p - p.grad if p.grad is not None else p).detach() for name, p in model.named_parameters()}


@pytest.mark.parametrize("history", ["windowed", "growing"])
def test_both_processes_take_the_step_of_all_tokens_one_by_one(history, ran):
    one, two = (pickle.loads((ran / f"{history}-{rank}.pickle").read_bytes()) for rank in (0, 1))
    seen = one["seen"][:2] + two["seen"][:2]  # batches are prepared one ahead
    assert len(set(seen)) == 4
    data = demonstrations(history)
    turns = [int(task[-6:]) % 3 + 2 for task, _ in seen]
    assert len(set(turns)) > 1
    rows = [row for item in seen for row in data.rows(*item)]
    assert len(rows) == (sum(turns) if history == "windowed" else 4)
    local = local_model()
    loss, weights = by_hand(local, rows)
    moved = farthest(weights, dict(local.model.named_parameters()))
    assert moved > 1e-3
    assert farthest(one["weights"], two["weights"]) == 0
    assert farthest(one["weights"], weights) < 1e-5 + 1e-4 * moved
    assert one["losses"] == two["losses"] == [pytest.approx(loss, rel=1e-4)]
