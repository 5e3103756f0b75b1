"""The position table of a published model, and how tables fall apart into waves."""

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.sinusoidal import learned_table
from chapters.sinusoidal.learned_table import learned_positions, shares_of_waves
from transformer.layers import sinusoidal_table


def test_one_wave_has_all_of_its_table():
    places = torch.arange(60, dtype=torch.float64)
    hand = torch.stack(((places * 2 * torch.pi / 12).sin(), places * 0 + 7), dim=1)
    wavelengths, shares = shares_of_waves(hand)
    assert wavelengths.shape == shares.shape == (30,)
    assert wavelengths[shares.argmax()] == 12  # the constant column counts for nothing
    assert shares.max().item() == pytest.approx(1)


def test_a_wave_twice_as_high_has_four_times_the_share():
    angles = torch.arange(60, dtype=torch.float64) * 2 * torch.pi
    waves = torch.stack(((angles / 5).sin(), 2 * (angles / 20).cos()), dim=1)
    wavelengths, shares = shares_of_waves(waves)
    assert_close(
        shares[wavelengths == 20] / shares[wavelengths == 5],
        torch.tensor([4.0]),
        check_dtype=False,
    )


def test_shares_sum_to_one_and_do_not_change_with_the_features():
    table = sinusoidal_table(64, 16)
    mixed = table @ torch.linalg.qr(torch.randn(16, 16, dtype=torch.float64))[0]
    _, shares = shares_of_waves(table)
    assert shares.sum().item() == pytest.approx(1)
    assert_close(shares_of_waves(mixed)[1], shares)


def test_minilm_has_five_wavelengths():
    wavelengths, shares = shares_of_waves(learned_positions())
    centers = 512 / 3.05 ** torch.arange(5)
    near = ((wavelengths[:, None] / centers).log().abs() < 0.2).any(dim=1)
    assert near.sum() < 60
    assert shares[near].sum() > 0.8


@facts("error", [ImportError("no package"), OSError("no network")])
def test_without_its_file_a_sentence_says_what_is_missing(monkeypatch, capsys, error):
    def missing():
        raise error

    monkeypatch.setattr(learned_table, "minilm_tensors", missing)
    assert learned_positions() is None
    assert capsys.readouterr().out == f"We go on without it: {error}\n"
