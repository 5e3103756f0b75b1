"""Answers to the exercises of the chapter on manners, right ones and wrong ones."""

import torch
import torch.nn.functional as F

from transformer.training import best_policy, group_advantages


def labels(ids, prompt, end):
    last = ids.index(end, prompt)
    learned = range(prompt, last + 1)
    return [ids[t] if t in learned else -100 for t in range(1, len(ids))]


def labels_by_counting(ids, prompt, end):
    found, ended = [], False
    for t, id in enumerate(ids):
        found.append(-100 if t < prompt or ended else id)
        ended = ended or (t >= prompt and id == end)
    return found[1:]


def labels_without_shift(ids, prompt, end):
    return [-100] * prompt + ids[prompt:-1]


def labels_without_end(ids, prompt, end):
    return [-100 if id == end else id for id in labels(ids, prompt, end)]


def labels_one_too_late(ids, prompt, end):
    found = labels(ids, prompt, end)
    return [-100 if t < prompt else id for t, id in enumerate(found)]


def labels_of_padding(ids, prompt, end):
    return [-100 if t < prompt else ids[t] for t in range(1, len(ids))]


def labels_but_for_zeros(ids, prompt, end):
    found = labels_of_padding(ids, prompt, end)
    return [-100 if id == 0 else id for id in found]


def labels_to_the_first_end(ids, prompt, end):
    last = ids.index(end)
    return [ids[t] if prompt <= t <= last else -100 for t in range(1, len(ids))]


def labels_of_all(ids, prompt, end):
    return ids[1:]


def labels_too_many(ids, prompt, end):
    return [*labels(ids, prompt, end), -100]


def best(reference, rewards, beta):
    return (reference + rewards / beta).softmax(dim=-1)


def best_by_hand(reference, rewards, beta):
    scores = reference + rewards / beta
    weights = (scores - scores.max()).exp()
    return weights / weights.sum()


def best_times_price(reference, rewards, beta):
    return (reference + rewards * beta).softmax(dim=-1)


def best_overflowing(reference, rewards, beta):
    weights = reference.exp() * (rewards / beta).exp()
    return weights / weights.sum()


def best_without_reference(reference, rewards, beta):
    return (rewards / beta).softmax(dim=-1)


def best_not_divided(reference, rewards, beta):
    return reference.exp() * (rewards / beta).exp()


def best_by_the_package(reference, rewards, beta):
    return best_policy(reference, rewards, beta=beta).exp()


def best_price_on_both(reference, rewards, beta):
    return ((reference + rewards) / beta).softmax(dim=-1)


def best_of_probabilities(reference, rewards, beta):
    return (reference.exp() + rewards / beta).softmax(dim=-1)


def loss(chosen, rejected, chosen_before, rejected_before, beta):
    won = chosen.sum() - chosen_before.sum()
    lost = rejected.sum() - rejected_before.sum()
    return -F.logsigmoid(beta * (won - lost))


def loss_by_softplus(chosen, rejected, chosen_before, rejected_before, beta):
    margin = (chosen - chosen_before).sum() - (rejected - rejected_before).sum()
    return F.softplus(-beta * margin)


def loss_of_means(chosen, rejected, chosen_before, rejected_before, beta):
    won = chosen.mean() - chosen_before.mean()
    lost = rejected.mean() - rejected_before.mean()
    return -F.logsigmoid(beta * (won - lost))


def loss_without_reference(chosen, rejected, chosen_before, rejected_before, beta):
    return -F.logsigmoid(beta * (chosen.sum() - rejected.sum()))


def loss_overflowing(chosen, rejected, chosen_before, rejected_before, beta):
    won = chosen.sum() - chosen_before.sum()
    lost = rejected.sum() - rejected_before.sum()
    return -torch.log(torch.sigmoid(beta * (won - lost)))


def loss_turned_over(chosen, rejected, chosen_before, rejected_before, beta):
    return loss(rejected, chosen, rejected_before, chosen_before, beta)


def loss_of_each_token(chosen, rejected, chosen_before, rejected_before, beta):
    return -F.logsigmoid(beta * (chosen - chosen_before))


def loss_price_outside(chosen, rejected, chosen_before, rejected_before, beta):
    return beta * loss(chosen, rejected, chosen_before, rejected_before, 1.0)


def loss_without_price(chosen, rejected, chosen_before, rejected_before, beta):
    return loss(chosen, rejected, chosen_before, rejected_before, 1.0)


def advantages(rewards):
    centered = rewards - rewards.mean(dim=1, keepdim=True)
    deviation = centered.square().mean(dim=1, keepdim=True).sqrt()
    return torch.where(deviation > 1e-9, centered / deviation.clamp(min=1e-9), 0.0)


def advantages_nearly(rewards):
    """As many libraries do, with a small number in the denominator."""
    deviation = rewards.std(dim=1, keepdim=True, correction=0)
    return (rewards - rewards.mean(dim=1, keepdim=True)) / (deviation + 1e-6)


def advantages_of_all(rewards):
    return (rewards - rewards.mean()) / rewards.std(correction=0)


def advantages_corrected(rewards):
    deviation = rewards.std(dim=1, keepdim=True) + 1e-6
    return (rewards - rewards.mean(dim=1, keepdim=True)) / deviation


def advantages_not_a_number(rewards):
    deviation = rewards.std(dim=1, keepdim=True, correction=0)
    return (rewards - rewards.mean(dim=1, keepdim=True)) / deviation


def advantages_not_divided(rewards):
    return rewards - rewards.mean(dim=1, keepdim=True)


def advantages_doubled(rewards):
    """Right for a share of one half alone."""
    return 2 * advantages_not_divided(rewards)


def advantages_over_prompts(rewards):
    return advantages(rewards.T).T


def advantages_by_the_package(rewards):
    return group_advantages(rewards)


RIGHT = [
    ("ex-manners-merge", ([5, 6, 1, -2], 3072)),
    ("ex-manners-merge", ((5.0, 6.0, 1.0, -2.0), 4 * 768)),
    ("ex-manners-labels", (labels,)),
    ("ex-manners-labels", (labels_by_counting,)),
    ("ex-manners-best", (best,)),
    ("ex-manners-best", (best_by_hand,)),
    ("ex-manners-dpo", (loss,)),
    ("ex-manners-dpo", (loss_by_softplus,)),
    ("ex-manners-advantages", (advantages,)),
    ("ex-manners-advantages", (advantages_nearly,)),
    ("ex-manners-think", (True, False, False, False, True)),
    ("ex-manners-labels", ([-100, -100, 7, 4, 2, -100, -100],)),
    ("ex-manners-labels", (torch.tensor([-100, -100, 7, 4, 2, -100, -100]),)),
    ("ex-manners-labels", (["-100", "\N{MINUS SIGN}100", 7, "4", 2, -100, "-1e2"],)),
    ("ex-manners-advantages", ([[3**0.5, *3 * [-(3**-0.5)]], [0, 0, 0, 0]],)),
    (
        "ex-manners-advantages",
        (torch.tensor([[1.732, -0.577, -0.577, -0.577], [0, 0, 0, 0]]),),
    ),
    (
        "ex-manners-advantages",
        ([["sqrt(3)", "-1/sqrt(3)", "-0.58", "-0.577"], list("0000")],),
    ),
]

WRONG = [
    ("ex-manners-merge", ([3, 4, 2, -1], 3072), "alpha over r"),
    ("ex-manners-merge", ([9, 10, -1, -4], 3072), "alpha over r"),
    ("ex-manners-merge", ([4, 4, -2, -2], 3072), "alpha over r"),
    ("ex-manners-merge", ([5, 6], 3072), "four numbers"),
    ("ex-manners-merge", ([5, 6, 1, -2], 442368), "reads r numbers"),
    ("ex-manners-merge", ([5, 6, 1, -2], 768), "reads r numbers"),
    ("ex-manners-labels", (labels_too_many,), "but the last"),
    ("ex-manners-labels", (labels_without_shift,), "question is not learned"),
    ("ex-manners-labels", (labels_one_too_late,), "question is not learned"),
    ("ex-manners-labels", (labels_of_all,), "question is not learned"),
    ("ex-manners-labels", (labels_without_end,), "never stops"),
    ("ex-manners-labels", (labels_of_padding,), "behind the end"),
    ("ex-manners-labels", (labels_but_for_zeros,), "behind the end"),
    ("ex-manners-labels", (labels_to_the_first_end,), "inside the question"),
    ("ex-manners-best", (best_by_the_package,), "without the package"),
    ("ex-manners-best", (best_not_divided,), "sum to 1"),
    ("ex-manners-best", (best_without_reference,), "is the reference"),
    ("ex-manners-best", (best_price_on_both,), "is the reference"),
    ("ex-manners-best", (best_of_probabilities,), "is the reference"),
    ("ex-manners-best", (best_times_price,), "a low price"),
    ("ex-manners-best", (best_overflowing,), "overflow"),
    ("ex-manners-dpo", (loss_of_each_token,), "one number"),
    ("ex-manners-dpo", (loss_without_reference,), "logarithm of 2"),
    ("ex-manners-dpo", (loss_price_outside,), "logarithm of 2"),
    ("ex-manners-dpo", (loss_of_means,), "a sum over its tokens"),
    ("ex-manners-dpo", (loss_turned_over,), "a sum over its tokens"),
    ("ex-manners-dpo", (loss_without_price,), "multiplies the margin"),
    ("ex-manners-dpo", (loss_overflowing,), "finite"),
    ("ex-manners-advantages", (advantages_by_the_package,), "without the package"),
    ("ex-manners-advantages", (advantages_of_all,), "a mean of its own"),
    ("ex-manners-advantages", (advantages_over_prompts,), "a mean of its own"),
    ("ex-manners-advantages", (advantages_not_divided,), "the advantage 1"),
    ("ex-manners-advantages", (advantages_corrected,), "the advantage 1"),
    ("ex-manners-advantages", (advantages_not_a_number,), "are equal"),
    ("ex-manners-advantages", (advantages_doubled,), "mean square"),
    ("ex-manners-think", ("yes", False, False, False, True), "True or False"),
    ("ex-manners-think", (False, False, False, False, True), "as to (1)"),
    ("ex-manners-think", (True, True, False, False, True), "as to (2)"),
    ("ex-manners-think", (True, False, True, False, True), "as to (3)"),
    ("ex-manners-think", (True, False, False, True, True), "as to (4)"),
    ("ex-manners-think", (True, False, False, False, False), "as to (5)"),
    (
        "ex-manners-labels",
        ([-100, -100, -100, 7, 4, 2, 2],),
        "followed by the first of the answer",
    ),
    (
        "ex-manners-labels",
        ([-100, -100, -100, 7, 4, 2, -100],),
        "followed by the first of the answer",
    ),
    ("ex-manners-labels", ([8, 3, 7, 4, 2, -100, -100],), "which are not learned"),
    ("ex-manners-labels", ([-100, -100, 7, 4, 2, 2, 2],), "looks like the end"),
    ("ex-manners-labels", ([-100, -100, 7, 4, 2, 2, -100],), "looks like the end"),
    (
        "ex-manners-labels",
        ([-100, -100, 7, 4, -100, -100, -100],),
        "the end is learned too",
    ),
    ("ex-manners-labels", ([-100, -100, 7, 4, 2],), "seven labels"),
    ("ex-manners-labels", ([-100, -100, -100, 7, 4, 2, -100, -100],), "seven labels"),
    (
        "ex-manners-advantages",
        ([[1.5, -0.5, -0.5, -0.5], [0, 0, 0, 0]],),
        "mean square is 3/16",
    ),
    (
        "ex-manners-advantages",
        ([[0.75, -0.25, -0.25, -0.25], [0, 0, 0, 0]],),
        "mean square is 3/16",
    ),
    (
        "ex-manners-advantages",
        ([[4, -4 / 3, -4 / 3, -4 / 3], [0, 0, 0, 0]],),
        "mean square is 3/16",
    ),
    (
        "ex-manners-advantages",
        ([[-0.426, *3 * [-1.705]], [0.852] * 4],),
        "no answer is better",
    ),
    ("ex-manners-advantages", ([[1, 0, 0, 0], [0, 0, 0, 0]],), "sum to zero"),
    ("ex-manners-advantages", ([[2.309, 0, 0, 0], [0, 0, 0, 0]],), "sum to zero"),
    (
        "ex-manners-advantages",
        ([[3**0.5, *3 * [-(3**-0.5)]], [1, 1, 1, 1]],),
        "no answer is better",
    ),
    ("ex-manners-advantages", ([3**0.5, *3 * [-(3**-0.5)]],), "two rows of four"),
]
