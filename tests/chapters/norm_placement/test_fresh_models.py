"""Gradients in the fresh models that translate numbers."""

import pytest
import torch

from chapters.norm_placement.fresh_models import (
    OTHER_DEPTHS,
    SEEDS,
    cross_variances,
    first_batch,
    fresh_gradients,
    gradients_of,
    measured,
    ratios_of,
    send_back,
    stored_ratios,
)
from chapters.norm_placement.orders import number_config
from transformer.data import Batch
from transformer.models import Transformer


@pytest.fixture(scope="module")
def post():
    return fresh_gradients("post", layers=6, seed=5)


def test_gradients_repeat_to_the_last_bit_and_tell_of_every_layer(post):
    torch.rand(11)
    again = fresh_gradients("post", layers=6, seed=5)
    assert list(post) == ["encoder", "decoder", "decoder alone"]
    for stack, gradients in post.items():
        assert torch.equal(gradients, again[stack])
        assert gradients.shape == (6,)


def test_the_gradient_is_that_of_the_mean_loss_of_real_labels():
    torch.manual_seed(3)
    model = Transformer(number_config("pre", 1))
    batch = Batch(*(side[:5] for side in (first_batch().source, first_batch().target)))
    send_back(model, batch)
    (found,) = gradients_of(model.decoder.layers)
    real = batch.labels >= 0
    chances = model(*batch.inputs).log_softmax(dim=-1)[real]
    loss = -chances[torch.arange(len(chances)), batch.labels[real]].mean()
    weight = model.decoder.layers[0].feed_forward.down_projection.weight
    (expected,) = torch.autograd.grad(loss, weight)
    assert found.item() == pytest.approx(expected.norm().item())


def test_what_the_chapter_says_of_post_norm(post):
    def ratio(stack):
        return (post[stack][-1] / post[stack][0]).item()

    assert 2**2.5 / 2 < ratio("decoder") < 2**2.5 * 2
    assert 1 / 3 < ratio("encoder") < 3
    assert 1 / 3 < ratio("decoder alone") < 3


def test_ratios_are_of_the_last_layer_to_the_first_the_least_first():
    runs = [{"encoder": torch.tensor(run)} for run in ([2.0, 5.0, 8.0], [4.0, 1.0])]
    assert ratios_of(runs) == {"encoder": [0.25, 4.0]}


def test_the_file_holds_three_ratios_of_each_stack_at_the_other_depths(post):
    assert tuple(stored_ratios()) == OTHER_DEPTHS
    for ratios in stored_ratios().values():
        assert list(ratios) == list(post)
        for found in ratios.values():
            assert found == sorted(found)
            assert len(found) == len(SEEDS)


def test_a_row_of_the_file_is_measured_again():
    again = measured(6)["ratios"]
    for stack, found in stored_ratios()[6].items():
        assert again[stack] == pytest.approx(found, rel=1e-3)


def test_the_pre_norm_decoder_gives_its_first_layers_no_less():
    decoder = fresh_gradients("pre", layers=6, seed=5)["decoder"]
    assert decoder[0] > decoder[-1]


def test_cross_attention_adds_a_variance_of_about_one():
    added = cross_variances(layers=6, seed=5)
    assert added.shape == (6,)
    assert added.mean().item() == pytest.approx(1, abs=0.3)
