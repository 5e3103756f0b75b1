"""The pencil-and-paper translator: its matrices, its words, and a part less."""

import pytest
import torch

from chapters.one_sentence.toy import (
    WORDS,
    chances,
    decode,
    embedding,
    encode,
    french_order,
    rows,
    send,
    translate,
)


def test_a_matrix_sends_each_row_to_its_own_and_the_rest_to_zero():
    red, house, start = rows()
    matrix = send((red, house), (house, start))
    assert torch.equal(red @ matrix, house)
    assert torch.equal(house @ matrix, start)
    assert torch.equal(start @ matrix, torch.zeros(4, dtype=torch.float64))


def test_words_are_orthogonal_or_opposite_and_have_no_mean():
    products = embedding() @ embedding().T
    assert set(products.abs().unique().tolist()) == {0.0, 4.0}
    assert torch.equal(products[0], torch.tensor([4.0, -4, 0, 0, 0, 0]).double())
    assert embedding().sum(dim=-1).tolist() == [0.0] * len(WORDS)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("red house <end>", "maison rouge <end>"),
        ("house red <end>", "maison rouge <end>"),
        ("house house <end>", "maison maison maison"),
        ("<end>", "<end>"),
    ],
)
def test_it_writes_what_the_chapter_shows(sentence, said):
    assert translate(sentence, french_order()) == said.split()


def test_the_transposed_matrix_keeps_the_order():
    said = translate("red house <end>", french_order().T)
    assert said == ["rouge", "maison", "<end>"]


def test_a_limit_stops_what_would_never_end():
    assert len(translate("house <end>", french_order(), limit=2)) == 2


def test_later_words_do_not_reach_earlier_logits():
    memory = encode([2, 3, 1])
    first = decode([0, 5, 4], memory, french_order())
    second = decode([0, 5, 2], memory, french_order())
    torch.testing.assert_close(first[:2], second[:2])
    assert not torch.allclose(first[2], second[2])


def test_without_positions_the_order_of_the_source_makes_no_difference():
    texts = [(source, "maison rouge <end>") for source in ("red house", "house red")]
    one, other = (chances(*text, without="positions") for text in texts)
    assert one == pytest.approx(other)
    assert chances(*texts[0]) != pytest.approx(chances(*texts[1]), abs=0.05)


def test_what_has_no_work_only_disturbs():
    texts = "red house <end>", "maison rouge <end>"
    alone = chances(*texts, without="positions+self-attention+feed-forward")
    assert alone == pytest.approx([0.89, 0.87, 0.87], abs=0.005)


def test_only_without_cross_attention_the_right_words_are_lost():
    texts = "red house <end>", "maison rouge <end>"
    for part in ("", "positions", "self-attention", "feed-forward"):
        assert min(chances(*texts, without=part)) > 0.7
    assert max(chances(*texts, without="cross-attention")) < 0.05


def granted(form):
    """Return whether a matrix of scores grants all three wishes of the chapter."""
    red, house, start = rows()
    memory = torch.stack((red, house, -start))
    asking = torch.stack((start, -house, -red))
    return (asking @ form @ memory.T).argmax(dim=-1).tolist() == [1, 0, 2]


def test_one_matrix_for_queries_and_keys_grants_not_all_wishes():
    assert granted(french_order())
    torch.manual_seed(0)
    two = 0
    for width in (1, 2, 3, 4, 5) * 200:
        queries, keys = torch.randn(2, 4, width, dtype=torch.float64)
        assert not granted(queries @ queries.T)
        two += granted(queries @ keys.T)
    assert two > 0


def test_one_matrix_is_enough_for_independent_words():
    asking, found = torch.linalg.qr(torch.randn(6, 6)).Q.split(3)
    sent = torch.eye(3)[[0, 1, 2, 1, 0, 2]]  # each with what it looks for
    matrix = torch.linalg.inv(torch.cat((asking, found))) @ sent
    scores = asking @ matrix @ (found @ matrix).T
    assert scores.argmax(dim=-1).tolist() == [1, 0, 2]
