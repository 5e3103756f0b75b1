"""Twins of the translator: the engine computes them, and they fail as the page says."""

import math
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from bookkit.book.prose import targets
from bookkit.checking.facts import facts
from chapters.laboratory.study import LADDER, Results, Verdict, chosen
from chapters.live import pack, twins
from transformer.data import BOS_ID, EOS_ID
from transformer.decoding import greedy_decode

ROOT = Path(__file__).parents[3]
CLOSE = {"rtol": 0, "atol": 1e-4}  # the engine keeps float32, PyTorch float64 here
WRITE = """
  return search(model, encode(model, given.source), { longest: 20 }).steps
    .map(([{ ids }]) => ids.at(-1));"""


@pytest.fixture(scope="module", params=list(twins.TWINS))
def name(request):
    return request.param


@pytest.fixture(scope="module")
def model(name):
    return twins.load(name)


@pytest.fixture(scope="module")
def found():
    return {row["twin"]: row for row in twins.MEASUREMENTS.read()}


@pytest.fixture(scope="module")
def run_twin(run, name):
    def call(asked, body):
        place = f'bookTwins["{name}"]'
        return run(asked, body, weights=twins.path(name), name=place)

    return call


def exact(numbers):
    return torch.tensor(numbers, dtype=torch.float64)


@torch.no_grad()
def test_every_layer_hands_on_what_it_does_in_pytorch(
    run_twin, name, pairs, ids, layers, note_layers, of_one_size
):
    model = twins.load(name).double()
    noted = note_layers(model)
    asked = [
        {"source": ids(source), "target": [BOS_ID, *ids(target)]}
        for source, target in pairs[:12]
    ]
    for source, target, group in of_one_size(asked, run_twin(asked, layers)):
        memory = model.encode(source)
        logits = [
            model.decode(target[:, :length], memory)[:, -1]
            for length in range(1, target.size(1) + 1)
        ]
        for row, found in enumerate(group):
            assert_close(exact(found["memory"]), memory[row], **CLOSE)
            for step, rows in enumerate(logits):
                assert_close(exact(found["logits"][step]), rows[row], **CLOSE)
            assert len(found["logits"]) == len(logits)
            assert set(noted) == {name for name in found if "layers" in name}
            for layer, rows in noted.items():
                assert_close(exact(found[layer]), rows[row], **CLOSE)


def test_it_writes_what_the_package_writes(run_twin, model, pairs, ids, of_one_size):
    asked = [{"source": ids(source), "target": []} for source, _ in pairs[:10]]
    for source, _, group in of_one_size(asked, run_twin(asked, WRITE)):
        expected = greedy_decode(
            model,
            source,
            max_new_tokens=20,
            bos_id=BOS_ID,
            eos_id=EOS_ID,
            use_cache=False,
        )
        for wrote, row in zip(group, expected.tolist(), strict=True):
            assert wrote == row[: len(wrote)]


def test_it_can_do_what_was_measured(name, model, found):
    measured = twins.measured(model)
    held = {field: found[name][field] for field in measured}
    assert measured == pytest.approx(held, abs=1e-3)  # one text of a thousand


def test_the_landing_page_says_how_many_are_right(name, found):
    page = (ROOT / "book/index.md").read_text("utf-8")
    for who in (name, twins.WHOLE):
        share = f"<dd>{100 * found[who]['right']:.1f} %</dd>"
        assert f"<dt>{who.replace('-', ' ')}</dt>{share}" in page
    assert name in targets(page)


def test_the_file_is_the_one_that_was_measured_and_small(name, found):
    fields = twins.file_facts(twins.path(name))
    assert fields == {field: found[name][field] for field in fields}
    assert fields["bytes"] < 500_000


def test_the_whole_machine_can_do_what_was_measured(found):
    whole = found[twins.WHOLE]
    measured = twins.measured(pack.load(pack.read_weights()))
    assert measured == pytest.approx({field: whole[field] for field in measured}, 1e-3)
    fields = twins.file_facts(pack.WEIGHTS)
    assert fields == {field: whole[field] for field in fields}


def test_the_file_is_of_the_vocabulary_of_the_whole_machine(name):
    assert twins.read(name)["vocabulary"] == pack.read_weights()["vocabulary"]


@facts("name", sorted(set(twins.STUDIED) - {twins.WHOLE}))
def test_its_learning_rate_is_the_best_of_those_that_were_tried(name):
    steps = max(twins.ABLATIONS.trained_steps)
    setting = {"variant": twins.STUDIED[name], "steps": steps, "seed": 0}
    rungs = [
        row
        for row in chosen(twins.ABLATIONS.rows, **setting)
        if row["learning_rate"] in LADDER
    ]
    best = min(rungs, key=lambda row: row["validation"] or math.inf)
    assert twins.TWINS[name].learning_rate == best["learning_rate"]


def test_twins_without_scale_are_clearly_behind_early_on():
    compared = twins.ABLATIONS.compare(
        "no scale", "baseline", "exact", more_is_better=True
    )
    assert compared.gains[twins.EARLY].verdict() == Verdict.BEHIND


def test_language_models_of_twelve_layers_lose_without_norms_with_every_seed():
    study = Results("residual_connections", "depths")
    for steps in study.trained_steps:
        norms, none = (
            study.results(f"12 layers{without}", steps, "nats")
            for without in ("", ", no norms")
        )
        assert all(a < b for a, b in zip(norms, none, strict=True))


def test_without_positions_the_order_of_words_is_lost():
    texts = ("six thousand and two", "two thousand and six", "and six two thousand")
    model = twins.load("without-positions")
    wrote = twins.translations(model, [(text, "") for text in texts])
    assert len(set(wrote)) == 1


@facts(
    "text, does",
    [
        ("mille mille mille", True),
        ("un mille mille", False),
        ("un-deux-deux-deux", True),
        ("cent cents cent", False),
        ("", False),
    ],
)
def test_who_stammers_says_a_word_three_times_in_a_row(text, does):
    assert twins.stammers(text) == does
