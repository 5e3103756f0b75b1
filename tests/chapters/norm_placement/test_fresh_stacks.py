"""The signal that is sent through fresh stacks is the stream of the stack itself."""

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.norm_placement.fresh_stacks import ends_of, fresh_stack, send_signal

SMALL = {"layers": 2, "seed": 5, "d_model": 8, "batch": 3, "time": 7}


@facts("placement", ["pre", "post", "none"])
def test_a_signal_repeats_to_the_last_bit(placement):
    first = send_signal(placement, **SMALL)
    torch.rand(11)
    again = send_signal(placement, **SMALL)
    assert torch.equal(first.stream, again.stream)
    assert torch.equal(first.gradients, again.gradients)


def test_the_stream_has_a_place_before_and_after_each_layer():
    signal = send_signal("pre", **SMALL)
    assert signal.stream.shape == (3, 3, 7, 8)
    assert signal.gradients.shape == (2,)
    assert signal.gradients.min() > 0


def test_variances_and_cosines_are_means_over_tokens():
    signal = send_signal("pre", **SMALL)
    token = signal.stream[1, 0, 0]
    alone = signal._replace(stream=signal.stream[:, :1, :1])
    variance = (token - token.mean()).square().mean()
    assert alone.variances()[1] == pytest.approx(variance.item())
    start = signal.stream[0, 0, 0]
    cosine = token @ start / token.norm() / start.norm()
    assert alone.cosines()[1] == pytest.approx(cosine.item())
    assert signal.cosines()[0] == pytest.approx(1.0)


def test_likeness_is_the_mean_cosine_of_all_pairs_of_tokens():
    signal = send_signal("pre", **SMALL)
    sequence = signal.stream[1, 0]
    cosines = torch.cosine_similarity(sequence[:, None], sequence[None], dim=-1)
    alone = signal._replace(stream=signal.stream[:, :1])
    pairs = cosines[~torch.eye(7, dtype=torch.bool)]
    assert alone.likeness()[1] == pytest.approx(pairs.mean().item())
    twins = torch.ones(1, 2, 3, 5, dtype=torch.float64)
    assert signal._replace(stream=twins).likeness().tolist() == pytest.approx([1.0])


def test_without_norms_nothing_but_the_sublayers_has_parameters():
    names = [n for n, _ in fresh_stack("none", layers=2, d_model=8).named_parameters()]
    assert names
    assert not [name for name in names if "norm" in name]


@facts("placement, ends", [("pre", True), ("post", False)])
def test_only_a_pre_norm_stack_ends_with_a_norm(placement, ends):
    encoder = fresh_stack(placement, layers=1, d_model=8)
    assert bool(list(encoder.norm.parameters())) == ends


def test_what_the_chapter_reads_from_fresh_stacks():
    deep = {"layers": 12, "seed": 0, "d_model": 16, "batch": 2, "time": 5}
    pre, post = (send_signal(placement, **deep) for placement in ("pre", "post"))
    assert pre.variances()[-1] > 5
    assert torch.allclose(post.variances()[1:], torch.ones(12).double(), atol=1e-3)
    assert pre.cosines()[-1] > post.cosines()[-1] + 0.1
    assert post.gradients[-1] > 2 * pre.gradients[-1]
    assert post.likeness()[-1] > 0.99 > 0.95 > pre.likeness()[-1]


def test_a_small_start_neither_grows_nor_forgets():
    deep = {"layers": 24, "seed": 3, "d_model": 32, "deviation": 0.02}
    pre, post = (send_signal(placement, **deep) for placement in ("pre", "post"))
    assert pre.variances()[-1] < 1.1 * pre.variances()[0]
    assert post.cosines()[-1] > 0.95
    assert post.likeness()[-1].abs() < 0.2


def test_a_loud_start_is_as_loud_as_it_says():
    quiet, loud = (
        send_signal("pre", layers=2, seed=3, d_model=32, deviation=deviation)
        for deviation in (0.02, 0.2)
    )
    grown = [run.variances()[-1] - run.variances()[0] for run in (quiet, loud)]
    assert grown[1] > 100 * grown[0].abs()


def test_the_ends_of_runs_are_means_behind_the_last_layer():
    runs = [send_signal("pre", layers=2, seed=seed, d_model=32) for seed in (3, 5)]
    ends = ends_of(runs)
    assert [ends[0], ends[2]] == [
        (kind[0] + kind[1]) / 2
        for kind in (
            [run.variances()[2] for run in runs],
            [run.likeness()[2] for run in runs],
        )
    ]
    assert ends[1] == sum(run.cosines()[2] for run in runs) / 2
