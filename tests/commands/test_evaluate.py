"""The command `evaluate`: four measures, on texts that were not learned."""

import json
import re
import sys
from unittest.mock import Mock

import pytest

from bookkit.checking.facts import facts
from transformer.commands.folder import Run
from transformer.data import TASKS
from transformer.training import load_checkpoint


def test_train_without_arguments_learns_to_translate(trained, command):
    code, out, errors = command("evaluate", "--run", trained, "--json")
    scores = json.loads(out)
    assert (code, errors) == (0, "")
    assert list(scores) == ["exact_match", "token_accuracy", "perplexity", "bleu"]
    assert scores["exact_match"] >= 0.99
    assert scores["token_accuracy"] >= 0.999
    assert 1 < scores["perplexity"] < 1.2
    assert 99 < scores["bleu"] < 100.001


def test_what_is_evaluated_was_not_learned(trained):
    splits = TASKS["numbers"](seed=0)
    assert not set(splits.test) & set(splits.train)
    assert load_checkpoint(Run(trained).newest).step == 600


def test_evaluate_prints_a_table(trained, command):
    flags = ["--split", "validation", "--beam-width=2"]
    lines = command("evaluate", "--run", trained, *flags)[1].splitlines()
    assert lines[0] == "500 texts of the validation split"
    names = ["exact match", "token accuracy", "perplexity", "BLEU"]
    for line, name in zip(lines[1:], names, strict=True):
        assert re.fullmatch(rf"{name:<14}  \d+\.\d\d(\d\d)?", line)


def test_a_readers_own_pairs_are_learned(tmp_path, command, small, monkeypatch):
    path = tmp_path / "mine.tsv"
    lines = [f"{'a ' * (n % 30)}b{n}\t{'x ' * (n % 30)}y" for n in range(200)]
    path.write_text("\n".join([*lines, "", "no partner"]), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    flags = [*small, "--steps=5", "--max-length=20", "--pairs=mine.tsv"]
    code, out, _ = command("train", *flags, f"--output={tmp_path / 'run'}")
    assert code == 0
    assert "left out" in out
    monkeypatch.chdir("/")  # the text is found from everywhere
    code, out, errors = command("evaluate", "--json", "--run", tmp_path / "run")
    assert code == 0
    assert re.search("left out [0-9]+ of 10 pairs with more than 20 tokens", errors)
    assert 0 <= json.loads(out)["exact_match"] <= 1


@pytest.fixture
def own(tmp_path, command, small):
    """The folder of a training on a reader's own pairs, which stand beside it."""
    lines = (f"the cat-{n} saw Ann\tle chat-{n} vit Anne\n" for n in range(40))
    (tmp_path / "mine.tsv").write_text("".join(lines))
    flags = [f"--pairs={tmp_path / 'mine.tsv'}", f"--output={tmp_path / 'run'}"]
    assert command("train", *small, "--steps=5", *flags)[0] == 0
    return tmp_path / "run"


def test_evaluate_shows_how_far_it_is_in_a_terminal(own, command, monkeypatch):
    flags = ["evaluate", "--split=train", "--run", own]
    quiet = "mine.tsv: 40 of 40 lines kept\n"
    assert command(*flags)[2] == quiet
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert re.search("0/36 .*36/36 ", command(*flags)[2], re.DOTALL)
    assert command(*flags, "--json")[2] == quiet


def test_evaluate_finds_pairs_that_were_moved(own, command, refused):
    text, moved = own.parent / "mine.tsv", own.parent / "moved.tsv"
    before = command("evaluate", f"--run={own}")
    text.rename(moved)
    refused("evaluate", f"--run={own}", words=[f"there is no {text}", "--pairs FILE"])
    assert command("evaluate", f"--run={own}", f"--pairs={moved}")[:2] == before[:2]
    moved.write_text(moved.read_text() + "a\tb\n")
    code, _, errors = command("evaluate", f"--run={own}", f"--pairs={moved}")
    assert (code, "the text must be the one" in errors) == (2, True)


def test_evaluate_takes_pairs_only_where_pairs_were_learned(trained, refused):
    words = ["--pairs", "got one that has learned numbers", "leave it out"]
    refused("evaluate", "--run", trained, "--pairs=mine.tsv", words=words)


def test_a_missing_package_leaves_out_bleu_and_is_told_before_the_work(
    short_training, command, monkeypatch
):
    arguments = ["evaluate", "--run", short_training[0], "--json"]
    _, whole, _ = command(*arguments)
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    code, out, errors = command(*arguments)
    assert code == 0
    assert out == re.sub(r", \"bleu\": [^,}]*", "", whole) != whole
    needed = r'BLEU needs sacrebleu.*pip install "tested-transformer\[training\]"\n$'
    assert re.search(needed, errors)
    stopped = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("transformer.commands.evaluate.scores", stopped)
    code, _, errors = command(*arguments)
    assert (code, "BLEU needs sacrebleu" in errors) == (130, True)


@facts("perplexity, shown", [(float("inf"), "null"), (2.0, "2.0")])
def test_an_infinite_perplexity_is_null_in_json(
    short_training, command, monkeypatch, perplexity, shown
):
    monkeypatch.setattr(
        "transformer.commands.evaluate.scores",
        lambda *_, **__: {"perplexity": perplexity, "bleu": 0.0},
    )
    _, out, _ = command("evaluate", "--json", "--run", short_training[0])
    assert out == f'{{"perplexity": {shown}, "bleu": 0.0}}\n'
