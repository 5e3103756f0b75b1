"""Answers: the loss counts what the model is to write, and no token more."""

import torch
import torch.nn.functional as F
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer.data import IGNORED, Answer, Batch, answer_batch, mark_answer
from transformer.training import LabelSmoothingLoss

ANSWERS = [mark_answer([5, 7, 0], [3, 2]), mark_answer([5], [11, 3, 2])]


def test_prompt_and_answer_follow_one_another():
    assert ANSWERS[0] == ([5, 7, 0, 3, 2], [False, False, False, True, True])


def test_the_last_token_of_the_prompt_predicts_the_first_of_the_answer():
    batch = answer_batch(ANSWERS)
    assert batch.inputs[0].tolist() == [[5, 7, 0, 3], [5, 11, 3, 2]]
    ignored = IGNORED
    assert batch.labels.tolist() == [[ignored, ignored, 3, 2], [11, 3, 2, ignored]]
    assert batch.num_tokens == 5


def test_the_loss_is_that_of_the_answers_alone():
    batch, logits = answer_batch(ANSWERS), torch.randn(2, 4, 13)
    counted = torch.cat((logits[0, 2:4], logits[1, :3]))
    wanted = F.cross_entropy(counted, torch.tensor([3, 2, 11, 3, 2]))
    loss = LabelSmoothingLoss(smoothing=0.0)
    assert_close(loss(logits, batch.labels), wanted)


def test_parts_and_shares_of_a_batch_count_the_same():
    batch = answer_batch([*ANSWERS, mark_answer([4, 4], [9])])
    for parts in (batch.split(2), [batch.shard(0, 2), batch.shard(1, 2)]):
        assert sum(part.num_tokens for part in parts) == batch.num_tokens == 6
    assert torch.equal(batch.to("cpu").labels, batch.labels)


@facts(
    "call, error, said",
    [
        (lambda: mark_answer([5], []), ValueError, "the answer.*got none"),
        (lambda: mark_answer([], [5]), ValueError, "the prompt.*got none"),
        (lambda: answer_batch([]), ValueError, "answers.*got none"),
        (
            lambda: answer_batch([ANSWERS[0], Answer([5, 7], [True, False])]),
            ValueError,
            "answers.*got 1 that do among 2 in number 1",
        ),
        (lambda: answer_batch([Answer([5, 7], [True])]), ValueError, "each of answers"),
        (
            lambda: Batch(None, torch.ones(2, 3).long(), None, torch.ones(2, 3)),
            TypeError,
            "counted.*got torch.float32",
        ),
        (
            lambda: Batch(None, torch.ones(2, 3).long(), None, torch.ones(2, 2) > 0),
            ValueError,
            r"counted.*got \(2, 2\)",
        ),
    ],
)
def test_an_example_that_teaches_nothing_is_refused(call, error, said, refuses):
    refuses(call, error, said)
