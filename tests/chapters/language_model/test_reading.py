"""Pieces are priced behind what came before, and shares sorted by what came."""

import pytest
import torch

from chapters.language_model.reading import in_groups, priced, said_and_came
from transformer.config import TransformerConfig
from transformer.data import CharacterTokenizer
from transformer.models import DecoderOnlyTransformer
from transformer.training import score_text


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    config = TransformerConfig.decoder_only(
        vocab_size=11, d_model=8, d_ff=12, num_heads=2, num_decoder_layers=1, max_len=17
    )
    return DecoderOnlyTransformer(config).double().eval()


def test_pieces_cost_what_they_cost_in_the_whole_text(model):
    tokenizer = CharacterTokenizer.fit(["abc\n", "de"])
    found = priced(model, tokenizer, "cab", before="abde\n")
    ids = torch.tensor(tokenizer.encode("\nabde\ncab"))
    nats = score_text(model, ids, width=17, stride=17)
    assert [piece for piece, _ in found] == ["c", "a", "b"]
    bits = torch.tensor([cost for _, cost in found], dtype=torch.float64)
    torch.testing.assert_close(
        bits * torch.tensor(2.0).double().log(), nats[-3:].double(), rtol=1e-6, atol=0
    )  # the scores of a text are kept in float32


def test_at_each_place_the_shares_sum_to_one_and_one_token_came(model):
    ids = torch.arange(23) % 11
    said, came = (x.view(-1, 11) for x in said_and_came(model, ids, width=7))
    assert len(said) == 21  # three windows; what fills none is left out
    torch.testing.assert_close(said.sum(dim=1), torch.ones(21).double())
    assert came.argmax(dim=1).tolist() == ids[1:22].tolist()
    assert came.sum(dim=1).tolist() == [1] * 21


def test_groups_have_the_mean_share_and_how_often_it_came():
    said = torch.tensor([0.05, 0.15, 0.35, 0.45, 1.0])
    came = torch.tensor([0.0, 1.0, 0.0, 1.0, 1.0])
    groups = in_groups(said, came, edges=[0, 0.2, 0.3, 0.5, 1])
    assert [count for *_, count in groups] == [2, 2, 1]
    means = [(mean, share) for mean, share, _ in groups]
    assert means == [pytest.approx(x) for x in ((0.1, 0.5), (0.4, 0.5), (1.0, 1.0))]


def test_a_share_on_an_edge_belongs_to_the_group_below():
    said = torch.tensor([0.0, 0.2, 0.25, 0.5])
    groups = in_groups(said, torch.ones(4), edges=[0, 0.2, 0.25, 0.4, 1])
    assert [(round(mean, 6), count) for mean, _, count in groups] == [
        *((0.2, 1), (0.25, 1), (0.5, 1))
    ]
