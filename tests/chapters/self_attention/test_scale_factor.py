"""The trainings of the chapter on self-attention, and the file of their results."""

import torch

from bookkit.checking.facts import facts
from chapters.laboratory.language_model import language_model
from chapters.self_attention.scale_factor import VARIANTS, settings
from transformer.layers import MultiHeadAttention


def fresh(variant):
    return language_model(seed=3, **settings(variant)).double().eval()


def layers(model):
    return [m for m in model.modules() if isinstance(m, MultiHeadAttention)]


@facts("variant", VARIANTS)
def test_the_size_of_a_head_varies_and_the_number_of_heads_stays(variant):
    d_head, arm = VARIANTS[variant]
    for layer in layers(fresh(variant)):
        assert layer.query_projection.out_features == 4 * d_head
        assert layer.scale == (d_head**-0.5 if arm == "factor" else 1.0)


@facts("d_head", [16, 64])
@torch.no_grad()
def test_small_queries_start_where_the_factor_does(d_head):
    tokens = torch.arange(1, 20)[None]
    with_factor, without, small = (
        fresh(f"{d_head}, {arm}")(tokens)
        for arm in ("factor", "no factor", "no factor, small queries")
    )
    torch.testing.assert_close(small, with_factor)
    assert (without - with_factor).abs().max() > 0.1


def test_small_queries_change_no_other_parameter():
    start = dict(fresh("16, no factor").named_parameters())
    for name, small in fresh("16, no factor, small queries").named_parameters():
        factor = 0.25 if name.endswith("query_projection.weight") else 1.0
        torch.testing.assert_close(small, factor * start[name])
