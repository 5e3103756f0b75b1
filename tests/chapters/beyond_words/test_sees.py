"""A language model that is shown pictures: what is trained, and what is counted."""

import pytest
import torch

from chapters.beyond_words.digits import digits
from chapters.beyond_words.sees import (
    ASKED,
    MEASUREMENTS,
    OTHERS,
    PLACES,
    SEVERAL,
    Eye,
    dealt_out,
    new_eye,
    next_scores,
    pending,
    says,
    shuffled,
    tokens_of,
    train_eye,
)
from chapters.laboratory.fit import same_numbers
from transformer import DecoderOnlyTransformer, TransformerConfig

WIDTH, VOCAB = 16, 23
IDS = torch.tensor([[3, 5, 7]])
ANSWERS = torch.arange(10, 20)


@pytest.fixture
def model():
    config = TransformerConfig.decoder_only(
        vocab_size=VOCAB,
        d_model=WIDTH,
        num_heads=2,
        d_ff=11,
        num_decoder_layers=2,
        position="rotary",
        norm_placement="pre",
        final_norm=True,
    )
    with same_numbers(0):
        return DecoderOnlyTransformer(config).float().eval()


def test_scores_are_those_of_the_model_where_words_stand_for_the_picture(model):
    """Vectors that are embeddings of words are read as these words."""
    front = torch.tensor([[2, 9, 4, 1]])
    with torch.no_grad():
        found = next_scores(model, model.embedding(front), IDS)
        expected = model(torch.cat((front, IDS), dim=1))[:, -1]
    torch.testing.assert_close(found, expected)


def test_the_map_learns_and_the_model_stays(model):
    before = {name: x.clone() for name, x in model.named_parameters()}
    with same_numbers(0):
        eye = Eye(64, WIDTH, places=PLACES, std=0.3).float()
        learned = digits().learned
        losses = train_eye(model, eye, learned, [IDS], ANSWERS, steps=30, rate=1e-2)
    assert sum(losses[-5:]) < sum(losses[:5])
    assert all(torch.equal(x, before[name]) for name, x in model.named_parameters())
    assert eye.map.weight.grad is not None


def test_texts_are_taken_in_turn(model, monkeypatch):
    asked = []

    def watched(model, seen, ids):
        asked.append(ids)
        return seen.sum() + torch.zeros(len(seen), VOCAB)

    monkeypatch.setattr("chapters.beyond_words.sees.next_scores", watched)
    eye, texts = Eye(64, WIDTH, places=1, std=0.3).float(), [IDS, IDS + 1]
    train_eye(model, eye, digits().learned, texts, ANSWERS, steps=4, rate=1e-2)
    assert [int(ids[0, 0]) for ids in asked] == [3, 4, 3, 4]


def test_what_is_said_is_counted_among_ten_and_among_all(monkeypatch):
    part = digits().tested.first(5)
    scores = torch.zeros(5, VOCAB)
    scores[torch.arange(5), ANSWERS[part.labels]] = 1.0
    scores[0, ANSWERS[(part.labels[0] + 1) % 10]] = 2.0  # wrong among the ten
    scores[1, 0] = 3.0  # right among the ten, and not among all
    monkeypatch.setattr("chapters.beyond_words.sees.next_scores", lambda *_: scores)
    eye = Eye(64, WIDTH, places=1, std=0.3)
    assert says(None, eye, part, IDS, ANSWERS) == pytest.approx((0.8, 0.6))


def test_shuffled_pictures_keep_their_labels_but_for_the_order():
    part = digits().learned
    with same_numbers(0):
        found = shuffled(part)
    assert torch.equal(found.images, part.images)
    assert found.labels.sort().values.equal(part.labels.sort().values)
    assert (found.labels == part.labels).double().mean() < 0.2


def test_tokens_stand_behind_a_space():
    class Letters:
        def encode(self, text):
            assert text.startswith(" ")
            return [len(text), 0]

    assert tokens_of(Letters(), ["one", "three"]).tolist() == [4, 6]


def test_a_fresh_map_starts_at_the_size_of_words(model):
    with same_numbers(0):
        eye = new_eye(model).float()
    assert eye(digits().tested.images.float()).shape == (360, PLACES, WIDTH)


def test_the_file_has_each_variant_behind_each_text():
    rows = MEASUREMENTS.read()
    assert [*pending(rows)] == []
    assert {text for row in rows for text in row["among_ten"]} == {ASKED, *OTHERS}
    assert not {*OTHERS} & {*SEVERAL}


def test_what_is_missing_is_told():
    rows = MEASUREMENTS.read()
    setting = ("model", "variant", "rate", "seed")
    missing = [{name: rows[0][name] for name in setting}]
    assert [*pending(rows[1:])] == missing


def test_a_model_that_was_dealt_out_has_the_same_numbers_elsewhere(model):
    with same_numbers(0):
        found = dealt_out(model)
    pairs = zip(found.parameters(), model.parameters(), strict=True)
    for one, other in pairs:
        same = one.flatten().sort().values, other.flatten().sort().values
        assert torch.equal(*same)
        assert torch.equal(one, other) == (one.dim() == 1)
