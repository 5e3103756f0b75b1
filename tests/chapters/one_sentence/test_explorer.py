"""What the explorer of the machine computes is what the machine computes."""

from html import unescape
from re import findall

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.one_sentence import explorer
from chapters.one_sentence.explorer import SENTENCES, STEPS
from chapters.one_sentence.machine import FRENCH, Machine, shares

DATA, HTML = explorer.show().data, explorer.show()._repr_html_()
NEAR = {"rtol": 0, "atol": 1e-4}
# The steps of both stacks, by the names of the explorer.
READING = ("word", "answer", "sum", "units", "last")
WRITING = ("word", "norm", "query", "answer", "sum", "units", "last")


@pytest.fixture(scope="module")
def runs(ask):
    """Every sentence on its way through the script."""
    asked = [["math.run", DATA, sentence] for sentence in SENTENCES]
    return dict(zip(SENTENCES, ask("one_sentence", *asked), strict=True))


def numbers(rows, name):
    """Read what a step of some rows leaves."""
    return torch.tensor([row[name]["numbers"] for row in rows], dtype=torch.float64)


def split(run):
    """Return the rows of a run that are read, and those that write."""
    return run["rows"][: len(run["read"])], run["rows"][len(run["read"]) :]


@facts("sentence", SENTENCES)
def test_each_step_leaves_what_the_machine_leaves(runs, sentence):
    machine, run = Machine(), runs[sentence]
    said = run["said"]
    full, so_far = f"{sentence} <end>", " ".join(said[:-1])
    assert said[1:] == [word for word, _ in machine.translate(sentence)]
    pairs = (
        (READING, machine.reading(full)),
        (WRITING, machine.writing(full, so_far)),
    )
    for rows, (names, expected) in zip(split(run), pairs, strict=True):
        for name, left in zip(names, expected.values(), strict=True):
            torch.testing.assert_close(numbers(rows, name), left, **NEAR)


@facts("sentence", SENTENCES)
def test_weights_shares_and_chances_are_those_of_the_machine(runs, sentence):
    machine, run = Machine(), runs[sentence]
    full, so_far = f"{sentence} <end>", " ".join(run["said"][:-1])
    reading, writing = split(run)
    looks = machine.looks(full, so_far)
    for rows, weights in zip((reading, writing), looks, strict=True):
        torch.testing.assert_close(numbers(rows, "weight"), weights, **NEAR)
    summed = machine.writing(full, so_far)["add, norm"]
    found = shares(summed, machine.french)
    torch.testing.assert_close(numbers(writing, "share"), found, **NEAR)
    chances = [share for _, share in machine.translate(sentence)]
    largest = numbers(writing, "probability").max(dim=-1).values
    torch.testing.assert_close(largest, torch.tensor(chances).double(), **NEAR)


def test_lines_of_every_sum_add_up_to_it_and_fit_into_the_table(ask, runs):
    [most] = ask("one_sentence", ["() => MOST"])
    for run in runs.values():
        for step in (step for row in run["rows"] for step in row.values()):
            for made in step["made"]:
                joined = [part[3] for part in made["parts"]]
                assert sum(joined) == pytest.approx(made["sum"])
                assert sum(abs(part) > 1e-9 for part in joined) <= most


def test_what_made_a_number_stands_in_the_columns_before(runs):
    row = runs["the red house"]["rows"][6]
    made = row["score"]["made"][1]
    query = [part[1] for part in made["parts"]]
    assert query == row["query"]["numbers"]
    memory = runs["the red house"]["rows"][1]["last"]["numbers"]
    assert [part[2] for part in made["parts"]] == memory
    assert made["number"] == pytest.approx(made["sum"] / 3)
    assert row["units"]["made"][3]["parts"][3][:2] == [
        "rouge",
        row["excess"]["numbers"][3],
    ]


def test_steps_have_words_in_the_order_in_which_they_are_computed(runs):
    reading, writing = split(runs["the house"])
    assert [*writing[0]] == [*STEPS]
    assert [*writing[0]].index("logit") == len(reading[0]) + 1


def test_first_picture_has_the_numbers_of_the_chapter():
    shown = dict(findall(r'data-part="([a-z]+-\d)"[^>]*>([^<]+)<', HTML))
    assert [shown[f"query-{k}"] for k in (1, 2, 3, 8)] == ["7.79", *3 * ["15.59"]]
    scores = " ".join(shown[f"score-{j}"] for j in range(4))
    assert scores == "10.04 18.35 7.68 12.89"
    last = " ".join(shown[f"last-{k}"] for k in (3, 4, 5, 8))
    assert last == "2.67 0.49 1.18 0.49"
    words = [unescape(shown[f"known-{j}"]) for j in range(6)]
    assert words == [*FRENCH]
    assert shown["probability-3"] == "0.54"
