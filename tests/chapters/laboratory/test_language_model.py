"""The made-up language and the small model that learns it."""

import random

import pytest
import torch
from torch import nn

from bookkit.checking.facts import facts
from chapters.laboratory import language
from chapters.laboratory import language_model as laboratory
from chapters.laboratory.language import (
    ALPHABET,
    DOCUMENT,
    VOCAB_SIZE,
    dictionary,
    document,
    documents,
    held_out,
    held_out_windows,
    spelled,
    windows,
)
from chapters.laboratory.language_model import (
    LENGTH,
    exchange,
    language_model,
    nats,
    nats_by_position,
    texts_to_read,
    train_and_measure,
    train_for_study,
    train_language_model,
    unigram_nats,
    validation_nats,
)
from chapters.laboratory.recipe import Trained
from transformer.models import count_parameters

SHORT = {"seed": 5, "steps": 3, "warm_up": 2, "batch": 7}


def test_a_document_is_of_names_and_words():
    text = document(random.Random(3))
    sentences = text.split(". ")[:-1]
    names = {sentence.split()[0] for sentence in sentences}
    words = {word for sentence in sentences for word in sentence.split()[1:]}
    assert len(text) == DOCUMENT
    assert len(names) == 2
    assert words <= {*dictionary()[0]}


def test_the_words_of_a_topic_come_back():
    count = len({*document(random.Random(4)).replace(".", "").split()})
    language.OF_TOPIC, kept = 0.0, language.OF_TOPIC
    try:
        assert len({*document(random.Random(4)).replace(".", "").split()}) > 1.5 * count
    finally:
        language.OF_TOPIC = kept


def test_documents_depend_on_the_seed_alone():
    first = documents(3, seed=11)
    random.random()
    documents.cache_clear()
    assert documents(3, seed=11).equal(first)
    assert not documents(3, seed=12).equal(first)
    assert first.shape == (3, DOCUMENT)
    assert 1 <= first.min() <= first.max() < VOCAB_SIZE


def test_the_first_document_is_known_by_heart():
    assert (
        spelled(documents(1, seed=1)[0, :36]) == "anvkf savbo rokmel zeflu savbo. anvk"
    )


def test_ids_spell_what_was_written():
    assert spelled(torch.tensor([1, 2, 3])) == ALPHABET[:3]


def test_windows_lie_within_documents():
    texts = torch.arange(5 * 31).view(5, 31)
    found = windows(texts, 101, 13, torch.Generator().manual_seed(2))
    assert (found.diff(dim=1) == 1).all()
    assert (found[:, 0] // 31 == found[:, -1] // 31).all()
    assert {*(found[:, 0] % 31).tolist()} == {*range(31 - 13 + 1)}


def test_held_out_windows_are_of_documents_that_no_training_sees():
    found = held_out_windows(5, 29)
    assert found.equal(held_out_windows(5, 29))
    assert not found.equal(held_out_windows(5, 29, seed=8))
    texts = [spelled(document) for document in held_out()]
    assert all(any(spelled(row) in text for text in texts) for row in found)
    learned = {spelled(document) for document in documents(512, seed=1)}
    assert not learned & {*texts}


def test_every_module_of_a_kind_is_exchanged():
    model = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Linear(3, 2), nn.GELU()))
    exchange(model, nn.ReLU | nn.GELU, lambda child: nn.Identity())
    kinds = [type(child) for child in model.modules()]
    assert kinds.count(nn.Identity) == 2
    assert kinds.count(nn.Linear) == 1


def test_a_training_repeats_to_the_last_bit():
    first = train_language_model(**SHORT)
    torch.rand(3)
    second = train_language_model(**SHORT)
    assert first.losses == second.losses
    for one, other in zip(
        first.model.parameters(), second.model.parameters(), strict=True
    ):
        assert one.equal(other)


def test_a_training_lowers_the_cross_entropy():
    fresh = language_model(seed=5)
    trained = train_language_model(seed=5, steps=30, warm_up=6, learning_rate=1e-2)
    assert len(trained.losses) == 30
    assert not trained.diverged
    assert nats(trained.model) < unigram_nats() < nats(fresh)


def test_choices_and_changes_reach_the_model():
    def without_norms(model):
        model.decoder.final_norm = nn.Identity()

    model = language_model(seed=1, d_ff=32, activation="gelu", change=without_norms)
    assert model.config.activation == "gelu"
    assert isinstance(model.decoder.final_norm, nn.Identity)
    assert next(model.parameters()).dtype == torch.float32


def test_a_training_that_breaks_down_says_so():
    def explode(model):
        model.embedding.tokens.embedding.weight.data.fill_(float("inf"))

    trained = train_language_model(change=explode, **SHORT)
    assert trained.diverged
    assert len(trained.losses) == 0


def test_the_last_positions_can_be_counted_alone():
    model = language_model(seed=1)
    by_position = nats_by_position(model, length=29)
    assert by_position.shape == (29,)
    assert nats(model, length=29, last=11) == pytest.approx(by_position[-11:].mean())
    assert nats(model) == pytest.approx(nats_by_position(model, length=LENGTH).mean())


def test_the_unigram_guess_is_that_of_the_letters():
    ids = documents(64, seed=2).flatten().tolist()
    shares = torch.tensor([ids.count(i) / len(ids) for i in {*ids}])
    assert unigram_nats() == pytest.approx(-(shares * shares.log()).sum().item())


def test_the_text_that_chooses_settings_is_neither_that_of_tests_nor_of_training():
    chooses, tests = held_out(validation=True), held_out()
    assert len(chooses) == len(tests)
    known = {tuple(row) for row in (*documents(512, seed=1).tolist(), *tests.tolist())}
    assert not {tuple(row) for row in chooses.tolist()} & known


@facts(
    "steps, batch, texts",
    [(200, 32, 512), (256, 32, 512), (257, 32, 514), (800, 32, 1600), (800, 7, 512)],
)
def test_a_longer_training_reads_more_texts(steps, batch, texts):
    assert texts_to_read(steps, batch) == texts


def test_a_study_trains_on_the_texts_that_its_steps_ask_for(monkeypatch):
    asked = {}
    monkeypatch.setattr(laboratory, "train_language_model", lambda **o: asked.update(o))
    train_for_study(steps=800, seed=3)
    assert asked == {
        "steps": 800,
        "seed": 3,
        "batch": 32,
        "warm_up": 100,
        "texts": 1600,
    }


def test_more_texts_begin_with_the_same_ones():
    assert torch.equal(documents(7, seed=1), documents(11, seed=1)[:7])


def test_a_training_is_measured_on_both_texts():
    found = train_and_measure(
        lambda model: {"layers": len(model.decoder.layers)},
        seed=5,
        steps=16,
        learning_rate=1e-3,
        batch=7,
    )
    done = train_language_model(
        seed=5, steps=16, learning_rate=1e-3, batch=7, warm_up=2
    )
    by_position = nats_by_position(done.model, validation=True)
    assert found == {
        "validation": by_position.mean().item(),
        "nats": nats(done.model),
        "parameters": count_parameters(done.model),
        "layers": 2,
    }
    assert found["validation"] != found["nats"]


def test_a_training_that_diverged_is_chosen_last():
    model = language_model(seed=1)
    assert validation_nats(Trained(model, [], diverged=True)) == float("inf")
