"""Bindings for the chapter on manners."""

from collections.abc import Iterator

import torch
import torch.nn.functional as F
from formula_bindings import Draw, binds, on_arrays
from torch import nn

from bookkit.checking.formulas import Binding
from transformer.data import answer_batch, mark_answer
from transformer.training import (
    LoRALinear,
    Preference,
    best_policy,
    bradley_terry,
    dpo_loss,
    group_advantages,
    implicit_reward,
    pass_at_k,
)

ANSWERS = 4
SIGMOID = on_arrays(torch.sigmoid)
EVERY = {"i": range(1, ANSWERS + 1)}


def chances(draw: Draw) -> torch.Tensor:
    """Return the log-probabilities of some answers."""
    return draw(ANSWERS).log_softmax(dim=-1)


@binds("eq-manners-answer")
def loss_of_the_answer(draw: Draw) -> Binding:
    batch = answer_batch([mark_answer([5, 6, 7], [8, 9, 2])])
    logs = draw(1, 5, 11).log_softmax(dim=-1)
    loss = F.cross_entropy(logs.mT, batch.labels, ignore_index=-100)
    found = [logs[0, place, id].exp() for place, id in ((2, 8), (3, 9), (4, 2))]
    return Binding({"cal L": loss, "m": 3, "p": torch.stack(found)})


@binds("eq-manners-lora")
def narrow_beside_large(draw: Draw) -> Binding:
    linear = LoRALinear(nn.Linear(5, 3, bias=False).double(), rank=2, alpha=3.0)
    linear.linear.weight.data, linear.up.data = draw(3, 5), draw(3, 2)
    linear.down.data, x = draw(2, 5), draw(5)
    with torch.no_grad():
        y = linear(x)
    matrices = {"W": linear.linear.weight.data, "A": linear.down.data}
    matrices["B"] = linear.up.data
    vectors = {"x": x[:, None], "y": y[:, None]}
    return Binding(matrices | vectors | {"alpha": 3.0, "r": 2})


@binds("eq-manners-choice")
def one_wins(draw: Draw) -> Binding:
    a, b = draw(2)
    won = bradley_terry(a[None], b[None]).exp()[0]
    return Binding({"P": won, "a": a, "b": b, "sigma": SIGMOID})


@binds("eq-manners-price")
def reward_at_a_price(draw: Draw) -> Binding:
    reference, rewards, beta = chances(draw), draw(ANSWERS), 0.7
    best = best_policy(reference, rewards, beta=beta)
    most = beta * (reference + rewards / beta).logsumexp(dim=-1)  # beta log Z
    names = {"J": most, "p": best.exp(), "q": reference.exp(), "r": rewards}
    return Binding(names | {"beta": beta}, EVERY)


@binds("eq-manners-implicit")
def a_policy_is_a_reward(draw: Draw) -> Binding:
    policy, reference = chances(draw), chances(draw)
    found = implicit_reward(policy, reference, beta=0.3)
    names = {"s": found, "p": policy.exp(), "q": reference.exp(), "beta": 0.3}
    return Binding(names, EVERY)


@binds("eq-manners-dpo")
def loss_of_a_pair(draw: Draw) -> Binding:
    policy, reference = chances(draw), chances(draw)
    pairs = (Preference(x[:1], x[1:2]) for x in (policy, reference))
    loss = dpo_loss(*pairs, beta=0.3).loss
    names = {"p": policy.exp(), "q": reference.exp()}
    return Binding(names | {"cal L": loss, "beta": 0.3, "sigma": SIGMOID})


@binds("eq-manners-gradient")
def two_slopes(draw: Draw) -> Iterator[Binding]:
    scores, direction, rewards = draw(ANSWERS), draw(ANSWERS), draw(ANSWERS)

    def logs(weight: torch.Tensor) -> torch.Tensor:
        return (scores + weight * direction).log_softmax(dim=-1)

    at = torch.tensor(0.4, dtype=torch.float64)
    h = torch.autograd.functional.jacobian(logs, at)
    g = torch.autograd.functional.jacobian(lambda w: logs(w).exp(), at)
    for b in (0.0, 2.5):
        names = {"R": rewards, "g": g, "h": h, "p": logs(at).exp(), "b": b}
        yield Binding(names, EVERY)


@binds("eq-manners-group")
def better_than_the_group(draw: Draw) -> Binding:
    rewards = draw(1, ANSWERS)
    names = {"A": group_advantages(rewards)[0], "R": rewards[0], "m": rewards.mean()}
    return Binding(names | {"d": rewards.std(correction=0)}, EVERY)


@binds("eq-manners-pass")
def one_of_k(draw: Draw) -> Iterator[Binding]:
    for n, c, k in ((4, 2, 2), (7, 3, 4), (5, 0, 2), (6, 1, 5)):
        yield Binding({"P": pass_at_k(n, c, k), "n": n, "c": c, "k": k})
