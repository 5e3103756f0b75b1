"""Two processes that share a batch."""

from chapters.cost_and_scale.processes import train_shared, with_torchrun
from transformer.training.world import World


def test_two_processes_learn_what_one_learns_and_each_share_is_a_half():
    one, two = train_shared(World(), shard=False), with_torchrun(2)
    for found in two.values():
        gap = found["parameters"] - one["parameters"]
        assert gap.abs().max() < 1e-12
    assert two["whole copies"]["held"] == one["held"]
    assert two["shares"]["held"] == one["held"] / 2
