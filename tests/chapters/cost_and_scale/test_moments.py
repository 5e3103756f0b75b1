"""What is held when in a training step, and the file of SmolLM2's."""

import pytest

from chapters.cost_and_scale.held_bytes import peak_bytes
from chapters.cost_and_scale.moments import KEPT, LENGTH, MEASUREMENTS, measured
from transformer.config import TransformerConfig
from transformer.costs import cache_bytes, parameter_budget, training_bytes
from transformer.zoo import CONFIGS

SMALL = TransformerConfig(
    vocab_size=31,
    d_model=12,
    d_ff=24,
    num_heads=2,
    num_encoder_layers=0,
    num_decoder_layers=3,
)


@pytest.fixture(scope="module")
def rows():
    return measured(SMALL, 7)


def at(rows, moment):
    return [row for row in rows if row["moment"] == moment]


def total(row):
    return sum(value for value in row.values() if isinstance(value, int))


def test_weights_are_there_at_every_moment(rows):
    assert {row["weights"] for row in rows} == {4 * parameter_budget(SMALL).total}


def test_gradients_come_on_the_way_back_and_go_with_the_step(rows):
    whole = 4 * parameter_budget(SMALL).total
    assert [row["gradients"] for row in at(rows, "loss")] == [0, 0]
    assert [row["gradients"] for row in at(rows, "gradients")] == [whole, whole]
    assert [row["gradients"] for row in at(rows, "cleared")] == [0, 0]


def test_the_moments_of_adam_come_with_its_first_step_and_stay(rows):
    whole = 4 * parameter_budget(SMALL).total
    first, second = at(rows, "start")
    assert first["optimizer"] == 0
    assert second["optimizer"] == pytest.approx(2 * whole, rel=0.02)  # step counters


def test_activations_grow_forth_and_go_back(rows):
    step = rows[: len(rows) // 2]
    forth = [row[KEPT] for row in at(step, "forward")]
    back = [row[KEPT] for row in at(step, "backward")]
    assert forth == sorted(forth)
    assert forth[0] < forth[-1]
    assert back[-1] < back[0]
    positions = 4 * SMALL.max_len * SMALL.d_model  # a table, always there
    assert at(step, "cleared")[0][KEPT] < positions + 100  # tokens and the loss


def test_the_loss_of_a_long_text_is_the_peak_of_the_step():
    long = 101
    second = at(measured(SMALL, long), "loss")[1]
    assert total(second) == peak_bytes(SMALL, target=long, held=False)


def test_the_file_is_that_of_smollm2():
    config, found = CONFIGS["smollm2-135m"], MEASUREMENTS.read()
    assert len(at(found, "forward")) == 2 * config.num_decoder_layers
    law = training_bytes(config, target=LENGTH)
    summit = max(found, key=total)
    assert summit == at(found, "loss")[1]
    assert total(summit) == pytest.approx(law.total - law.gradients, rel=0.005)
    assert cache_bytes(config, max_len=1) == 46_080
