"""Properties of the answers to the exercises of the chapter on manners."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from chapters.calls import uses_package
from chapters.exercises import Property
from chapters.forms import Shaped, form_of_rows, right_where, shaped
from chapters.regions import about, every
from chapters.start import gaussian
from transformer.training import best_policy, group_advantages

END, PADDING = 2, 0
ROW = [7, 8, 9, 5, 6, END, PADDING, PADDING]  # a question of three, an answer of three


def policies(count: int, *, seed: int) -> tuple[Tensor, Tensor]:
    """Return log-probabilities of some answers, and rewards."""
    drawn = gaussian(2, count, seed=seed)
    return drawn[0].log_softmax(dim=-1), drawn[1]


def is_best(best, reference: Tensor, rewards: Tensor, beta: float) -> bool:
    """Return whether an answer gives the probabilities of the best policy."""
    found = torch.as_tensor(best(reference.clone(), rewards.clone(), beta))
    return torch.allclose(found, best_policy(reference, rewards, beta=beta).exp())


def two_answers(seed: int) -> list[Tensor]:
    """Return the tokens' log-probabilities of two answers, now and before."""
    lengths = (4, 7, 4, 7)  # chosen, rejected, chosen before, rejected before
    return [
        -gaussian(length, seed=seed + place).abs()
        for place, length in enumerate(lengths)
    ]


def wanted_loss(given: list[Tensor], beta: float) -> Tensor:
    """Return the loss of a pair."""
    chosen, rejected, chosen_before, rejected_before = (x.sum() for x in given)
    margin = chosen - chosen_before - (rejected - rejected_before)
    return -F.logsigmoid(beta * margin)


def is_loss(loss, given: list[Tensor], beta: float) -> bool:
    """Return whether an answer gives the loss of a pair."""
    found = torch.as_tensor(loss(*(x.clone() for x in given), beta))
    return torch.allclose(found, wanted_loss(given, beta))


def far_apart() -> list[Tensor]:
    """Return answers that have moved a long way, in the wrong direction."""
    return [
        torch.tensor([x, x]) for x in (-4000.0, -1.0, -1.0, -4000.0)
    ]  # a margin of -15,996


GROUPS = [[1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0], [1.0, 2.0, 3.0, 6.0]]


def advantages_of(advantages, rewards: list[list[float]]) -> Tensor:
    """Return what an answer makes of rewards."""
    return torch.as_tensor(advantages(torch.tensor(rewards)))


EXERCISES = {
    "ex-manners-merge": [
        Property(
            "give the four numbers of the merged matrix, row by row.",
            lambda merged, numbers: len(merged) == 4,
        ),
        Property(
            "what does the adapter add? Its product times alpha over r, which is 2.",
            lambda merged, numbers: list(merged) == [5, 6, 1, -2],
        ),
        Property(
            "one matrix reads r numbers off the 576 features, the other writes them to "
            "the 192.",
            lambda merged, numbers: numbers == 4 * (576 + 192),
        ),
    ],
    "ex-manners-labels": [
        Property(
            "return a list with one label for each token but the last.",
            lambda labels: len(labels([*ROW], 3, END)) == len(ROW) - 1,
        ),
        Property(
            "the question is not learned, though its last token predicts the answer's "
            "first.",
            lambda labels: list(labels([*ROW], 3, END))[:3] == [-100, -100, 5],
        ),
        Property(
            "the token that ends the answer must be learned, or it never stops.",
            lambda labels: list(labels([*ROW], 3, END))[3:5] == [6, END],
        ),
        Property(
            "what stands behind the end is padding, whatever its number.",
            lambda labels: (
                list(labels([*ROW], 3, END))[5:] == [-100, -100]
                and list(labels([3, 4, END, END, END], 1, END)) == [4, END, -100, -100]
            ),
        ),
        Property(
            "an end mark inside the question ends no answer.",
            lambda labels: (
                list(labels([7, END, 9, 5, END, PADDING], 3, END))
                == [-100, -100, 5, END, -100]
            ),
        ),
    ],
    "ex-manners-best": [
        Property(
            "do it without the package.",
            lambda best: not uses_package(best, *policies(3, seed=0), 0.5),
        ),
        Property(
            "probabilities sum to 1.",
            lambda best: math.isclose(
                float(torch.as_tensor(best(*policies(5, seed=1), 0.7)).sum()),
                1.0,
                rel_tol=1e-5,  # for answers in float32
            ),
        ),
        Property(
            "with all rewards equal the best policy is the reference.",
            lambda best: is_best(best, policies(4, seed=2)[0], torch.ones(4), 0.3),
        ),
        Property(
            "a low price lets the reward decide, a high one the reference.",
            lambda best: all(
                is_best(best, *policies(5, seed=3), beta) for beta in (0.2, 1.0, 6.0)
            ),
        ),
        Property(
            "large rewards must not overflow.",
            lambda best: is_best(
                best, policies(3, seed=4)[0], torch.tensor([1e3, 999.0, 0.0]), 0.5
            ),
        ),
    ],
    "ex-manners-dpo": [
        Property(
            "return one number, made without the package.",
            lambda loss: (
                torch.as_tensor(loss(*two_answers(0), 0.1)).shape == ()
                and not uses_package(loss, *two_answers(0), 0.1)
            ),
        ),
        Property(
            "where the policy is the reference, the loss is the logarithm of 2.",
            lambda loss: math.isclose(
                float(loss(*two_answers(1)[:2], *two_answers(1)[:2], 0.4)),
                math.log(2),
                rel_tol=1e-5,  # for answers in float32
            ),
        ),
        Property(
            "the log-probability of an answer is a sum over its tokens, however many.",
            lambda loss: is_loss(loss, two_answers(2), 1.0),
        ),
        Property(
            "the price multiplies the margin.",
            lambda loss: all(is_loss(loss, two_answers(3), b) for b in (0.1, 0.5, 2.0)),
        ),
        Property(
            "with a large margin it must stay finite.",
            lambda loss: is_loss(loss, far_apart(), 1.0),
        ),
    ],
    "ex-manners-advantages": [
        Property(
            "do it without the package, and keep the shape.",
            lambda advantages: (
                advantages_of(advantages, GROUPS).shape == (3, 4)
                and not uses_package(advantages, torch.tensor(GROUPS))
            ),
        ),
        Property(
            "each group has a mean of its own, and its advantages add up to 0.",
            lambda advantages: torch.allclose(
                advantages_of(advantages, GROUPS).sum(dim=1), torch.zeros(3)
            ),
        ),
        Property(
            "two right answers of four have the advantage 1, and the wrong ones -1.",
            lambda advantages: torch.allclose(
                advantages_of(advantages, GROUPS)[0],
                torch.tensor([1.0, -1.0, -1.0, 1.0]),
            ),
        ),
        Property(
            "where all rewards are equal, the advantages are 0.",
            lambda advantages: torch.equal(
                advantages_of(advantages, [[1.0] * 4, [0.0] * 4]), torch.zeros(2, 4)
            ),
        ),
        Property(
            "the mean square of each other group is 1.",
            lambda advantages: torch.allclose(
                advantages_of(advantages, GROUPS),
                group_advantages(torch.tensor(GROUPS)),
                atol=1e-4,  # a small number in the denominator is no fault
            ),
        ),
    ],
    "ex-manners-think": [
        Property(
            "answer with True or False.",
            lambda *said: len(said) == 5 and all(isinstance(x, bool) for x in said),
        ),
        Property(
            "as to (1), what is the gradient of A multiplied by?",
            lambda first, displaced, baseline, silent, price: first is True,
        ),
        Property(
            "as to (2), the loss looks at a difference.",
            lambda first, displaced, baseline, silent, price: displaced is False,
        ),
        Property(
            "as to (3), the gradient of the sum of all probabilities is that of 1.",
            lambda first, displaced, baseline, silent, price: baseline is False,
        ),
        Property(
            "as to (4), by how much is each of them better than the mean?",
            lambda first, displaced, baseline, silent, price: silent is False,
        ),
        Property(
            "as to (5), what does the factor of each answer come to?",
            lambda first, displaced, baseline, silent, price: price is True,
        ),
    ],
}

LABELS = [-100, -100, 7, 4, 2, -100, -100]
ADVANTAGES = [[3**0.5, *3 * (-(3**-0.5),)], [0, 0, 0, 0]]
BY_HAND = {
    "ex-manners-labels": [
        Property("give seven labels, one for each token but the last.", shaped(LABELS)),
        Property(
            "the first two tokens are followed by tokens of the question, which are "
            "not learned.",
            right_where(LABELS, lambda place: place < 2),
        ),
        Property(
            "the last token of the question is followed by the first of the answer.",
            right_where(LABELS, lambda place: place == 2),
        ),
        Property(
            "the end is learned too, or the model never stops.",
            right_where(LABELS, lambda place: place < 5),
        ),
        Property(
            "what follows the first end is padding, though it looks like the end.",
            right_where(LABELS),
        ),
    ],
    "ex-manners-advantages": [
        Property("give two rows of four numbers.", shaped(ADVANTAGES)),
        Property(
            "where all rewards are equal, no answer is better than the group.",
            right_where(ADVANTAGES, lambda group, answer: group == 1),
        ),
        Property(
            "the advantages of a group sum to zero.",
            Shaped((2, 4), every(about(*4 * (1.0,), *4 * (0.0,), within=0.02))),
        ),
        Property(
            "divide by the deviation of the four rewards of this group, whose mean "
            "square is 3/16.",
            right_where(ADVANTAGES, within=6e-3),
        ),
    ],
}

FIELDS = {
    "ex-manners-labels": (LABELS,),
    "ex-manners-advantages": form_of_rows(ADVANTAGES),
    "ex-manners-merge": ((5, 6, 1, -2), 3072),
    "ex-manners-think": 5 * ({True, False},),
}
