"""The long training is that of its recipe, and what is stored of it agrees."""

import json
from dataclasses import asdict

import pytest
import torch

from chapters.laboratory import king_james
from chapters.language_model import own_model, results
from chapters.language_model.card import card
from chapters.language_model.own_model import MEASUREMENTS, MOMENTS, RECIPE, Moments
from chapters.language_model.recipe import (
    Recipe,
    batches,
    new_trainer,
    tokenizer,
    tokens,
)
from transformer.models import count_parameters
from transformer.training import run
from transformer.zoo import SHIPPED, load

TINY = Recipe(d_model=12, d_ff=10, num_heads=2, num_layers=1, batch_size=2, steps=5)


def stored(measurements):
    return json.loads(measurements.path.read_text(encoding="utf-8"))


def test_moments_are_those_of_the_recipe():
    rows = MEASUREMENTS.read()
    steps = [row["step"] for row in rows]
    assert steps == [*(n for n in MOMENTS if n < RECIPE.steps), RECIPE.steps]
    assert stored(MEASUREMENTS)["recipe"] == asdict(RECIPE)
    for row in rows:
        assert row["tokens"] == row["step"] * RECIPE.batch_size * RECIPE.width
        assert {*row["samples"]} == {*own_model.PROMPTS}


def test_the_first_steps_come_out_as_stored():
    trainer = new_trainer(RECIPE)
    losses = run(trainer, batches(RECIPE), steps=2).losses
    row = next(row for row in MEASUREMENTS.read() if row["step"] == 2)
    # Another processor rounds otherwise; after two steps that is not much yet.
    assert sum(losses) / 2 == pytest.approx(row["train_nats"], abs=5e-3)


def test_the_tokens_of_the_package_are_those_of_the_training_books():
    assert load("verses").tokenizer.to_dict() == tokenizer(2048).to_dict()
    ids = tokens("test", 2048)
    text = king_james.split_text("test")
    assert tokenizer(2048).decode(ids.tolist()) == "\n" + text


@pytest.mark.parametrize("size", [0, 2048])
def test_a_line_end_is_what_a_text_begins_after(size):
    text = tokenizer(size).decode(tokens("validation", size)[:1].tolist())
    assert text == "\n"


@pytest.mark.parametrize(("optimizer", "name"), [("Muon", "Muon"), ("AdamW", "AdamW")])
def test_a_recipe_names_what_trains(optimizer, name):
    trainer = new_trainer(Recipe(**{**asdict(TINY), "optimizer": optimizer}))
    assert type(trainer.optimizer).__name__ == name


def test_the_rate_rises_falls_and_ends_at_a_fiftieth():
    rates = [RECIPE.rate_at(step) for step in range(1, RECIPE.steps + 1)]
    assert max(rates) == rates[99] == RECIPE.learning_rate
    assert rates[-1] == pytest.approx(RECIPE.learning_rate / 50)
    assert rates == sorted(rates[:100]) + sorted(rates[100:], reverse=True)


def test_a_training_goes_on_where_it_was_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(own_model, "validation_bits", lambda *given: 0.0)
    monkeypatch.setattr(own_model, "samples", lambda *given: {})
    monkeypatch.setattr(own_model, "tokens", None)
    whole = own_model.train(TINY, tmp_path / "whole")
    stop = Recipe(**{**asdict(TINY), "steps": 3})
    monkeypatch.setattr(Recipe, "rate_at", lambda self, step: TINY_RATES[step])
    own_model.train(stop, tmp_path / "parts")
    parts = own_model.train(TINY, tmp_path / "parts")
    assert parts.steps == whole.steps == 5
    for found, expected in zip(
        parts.model.parameters(), whole.model.parameters(), strict=True
    ):
        torch.testing.assert_close(found, expected)
    steps = [row["step"] for row in Moments(TINY, tmp_path / "parts").rows()]
    assert steps == [1, 2, 3, 5]


TINY_RATES = {step: TINY.rate_at(step) for step in range(1, 6)}


def test_results_hold_each_book_and_each_way():
    rows = results.MEASUREMENTS.read()
    books = [("all", *king_james.names_of(x)) for x in ("validation", "test")]
    ways = {(row["weights"], row["way"]) for row in rows}
    assert ways == {("float32", "frozen"), ("8 bits", "frozen"), ("8 bits", "adaptive")}
    frozen = [row for row in rows if row["way"] == "frozen"]
    assert len(frozen) == 2 * sum(map(len, books))
    for row in rows:
        assert 0.9 < row["bits"] < 1.6


def test_a_result_of_the_page_is_that_of_eight_bits_on_test_books():
    wanted = {"weights": "8 bits", "way": "adaptive", "split": "test", "book": "Acts"}
    [row] = [x for x in results.MEASUREMENTS.read() if wanted.items() <= x.items()]
    assert results.stored_bits("adaptive", book="Acts") == row["bits"]
    assert results.stored_bits("adaptive") < results.stored_bits("frozen")


def test_a_split_costs_what_its_books_cost():
    rows = [r for r in results.MEASUREMENTS.read() if r["split"] == "test"]
    for weights in ("float32", "8 bits"):
        found = {
            row["book"]: row["bits"]
            for row in rows
            if (row["weights"], row["way"]) == (weights, "frozen")
        }
        sizes = {name: len(king_james.text(name)) for name in found if name != "all"}
        total = sum(found[name] * size for name, size in sizes.items())
        assert total / sum(sizes.values()) == pytest.approx(found["all"], abs=1e-4)


def test_a_part_of_a_book_costs_what_is_stored():
    model, ours = load("verses")
    text = king_james.text("Hosea")
    ids = torch.tensor(ours.encode("\n" + text))
    nats = results.score_text(model, ids, width=results.WIDTH, stride=results.STRIDE)
    row = next(
        row
        for row in results.MEASUREMENTS.read()
        if (row["book"], row["weights"], row["way"]) == ("Hosea", "8 bits", "frozen")
    )
    # Its first words have nothing before them here, and the end of Proverbs there.
    assert results.bits_of(nats, text) == pytest.approx(row["bits"], abs=5e-3)


def test_the_card_is_that_of_the_results():
    facts = stored(results.MEASUREMENTS)
    found = (SHIPPED["verses"] / "card.md").read_text(encoding="utf-8")
    assert found == card(facts["rows"], facts)
    assert facts["parameters"] == count_parameters(load("verses").model)
    assert facts["recipe"] == asdict(RECIPE)


def test_the_first_god_of_the_bible_was_asked_for_once():
    """The page says so: what stands before the first window of an epoch is left out."""
    ids, drawn = tokens("train", RECIPE.vocab_size), batches(RECIPE)
    place = 5  # behind the line end and In the begin-ning
    assert tokenizer(RECIPE.vocab_size).decode([ids[place].item()]) == " God"
    drawn.ids = torch.arange(len(ids))
    asked = [(drawn[step].labels == place).sum() for step in range(RECIPE.steps)]
    assert sum(asked) == 1
