"""The command `translate`: each text keeps its line, and none is misunderstood."""

import io
import re

import pytest

from bookkit.checking.facts import facts
from transformer.commands.folder import Run
from transformer.data import french

HARD = {
    "four hundred and ninety-seven": "quatre cent quatre-vingt-dix-sept",
    "eighty": "quatre-vingts",
    "two hundred thousand and seventy-one": "deux cent mille soixante et onze",
}
WAYS = [
    *("Four hundred and ninety-seven", "FOUR HUNDRED AND NINETY-SEVEN", "497"),
    *("four hundred ninety seven", "four hundred and ninety seven", " 0497 "),
]


def test_the_expected_words_are_those_of_the_grammar():
    assert [french(n) for n in (497, 80, 200_071)] == list(HARD.values())


@facts(
    "flags",
    [
        *([], ["--beam-width=3"], ["--sample", "--top-k=1"]),
        *(["--sample", "--top-p=0.01"], ["--sample", "--temperature=0.01"]),
    ],
)
def test_translate_knows_the_grammar(trained, command, flags):
    code, out, errors = command("translate", "--run", trained, *flags, *HARD)
    assert (code, errors) == (0, "")
    assert out.splitlines() == list(HARD.values())


def test_translate_understands_each_way_to_write_a_number(trained, command):
    code, out, errors = command("translate", "--run", trained, *WAYS)
    assert (code, errors) == (0, "")
    assert out.splitlines() == len(WAYS) * ["quatre cent quatre-vingt-dix-sept"]


def test_samples_are_the_same_for_a_seed(trained, command):
    flags = ["--sample", "--temperature=3", "--run", trained, *HARD]
    texts = [command("translate", f"--seed={seed}", *flags)[1] for seed in (0, 0, 2)]
    assert texts[0] == texts[1] != texts[2]


@pytest.fixture
def lines(trained, command, monkeypatch):
    """Translate what is sent to the standard input."""

    def send(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return command("translate", "--run", trained)

    return send


def test_a_blank_line_is_answered_by_a_blank_line(lines):
    assert lines("one\n\n \nseven hundred\n") == (0, "un\n\n\nsept cents\n", "")


def test_texts_that_are_not_understood_do_not_stop_the_others(lines, trained, command):
    texts = ["one", "", "six rabbits", "seven hundred", "one and"]
    code, out, errors = lines("\n".join(texts))
    assert (code, out) == (2, "un\n\n\nsept cents\n\n")
    _, third, fifth = errors.splitlines()
    assert re.search("^text 3: .*got 'rabbits' in 'six rabbits'", third)
    assert re.search("^text 5: .*got 'one and'", fifth)
    texts[1] = "two"
    code, out, errors = command("translate", "--run", trained, *texts)
    assert (code, out) == (2, "un\ndeux\n\nsept cents\n\n")
    assert [line[:7] for line in errors.splitlines()[1:]] == ["text 3:", "text 5:"]


@facts(
    "text, places", [("\nzebra\n", [2]), ("zebra\n\none\n", [1]), ("one\nzebra", [2])]
)
def test_a_fault_is_told_by_its_line_wherever_it_stands(text, places, lines):
    code, out, errors = lines(text)
    assert (code, out.count("\n")) == (2, len(text.splitlines()) * ("one" in text))
    assert re.findall(r"^text (\d+): ", errors, re.MULTILINE) == list(map(str, places))


@facts(
    "file",
    [None, io.StringIO(""), io.TextIOWrapper(io.BytesIO(b"one\n\xff\n"), "utf-8")],
)
def test_an_input_without_texts_is_refused(refused, trained, monkeypatch, file):
    monkeypatch.setattr("sys.stdin", file)
    bytes_ = isinstance(file, io.TextIOWrapper)
    said = ["UTF-8", "byte 0xff"] if bytes_ else ["TEXT", "standard input", "neither"]
    refused("translate", "--run", trained, words=said)


def test_a_terminal_is_told_that_lines_are_awaited(trained, command, monkeypatch):
    terminal = io.StringIO("one\n")
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    said = "reading texts, one a line; Ctrl-D ends them.\n"
    assert command("translate", "--run", trained) == (0, "un\n", said)


REFUSED = {
    "unknown words": (["six rabbits"], ["got 'rabbits'"]),
    "two numbers": (["seven seven"], ["one number", "got 'seven seven'"]),
    "a million": (["1000000"], ["below 1000000", "got '1000000'"]),
    "an empty text": ([""], ["words", "got an empty one"]),
    "a long text": (["one " * 200], ["at most 101 tokens", "got 200", "split it"]),
    "top-k alone": (["--top-k=3", "one"], ["--top-k", "--sample", "add it"]),
    "a seed of 0 alone": (["--seed=0", "one"], ["--seed", "--sample", "add it"]),
    "two ways": (
        ["--sample", "--beam-width=2", "one"],
        ["--sample", "--beam-width 2", "leave one out"],
    ),
    "a figure of two": (
        ["--attention=a.svg", "one", "two"],
        ["--attention", "one TEXT", "got 2"],
    ),
    "a figure of a page of TeX": (
        ["--attention=a.pgf", "one"],
        ["--attention", ".svg", "got 'a.pgf'"],
    ),
}


@facts("arguments, words", REFUSED.values(), ids=[*REFUSED])
def test_what_cannot_be_translated_is_refused(trained, refused, arguments, words):
    refused("translate", f"--run={trained}", *arguments, words=words)


@facts("flags", [["--attention=a.txt"], ["--sample", "--top-k=0"], ["--top-k=3"]])
def test_flags_are_checked_before_the_model_is_loaded(command, flags, monkeypatch):
    monkeypatch.setattr(Run, "load", None)
    assert command("translate", "one", *flags)[0] == 2


def test_words_that_were_never_learned_are_named(tmp_path, command, refused, small):
    lines = (f"the cat-{n} saw Ann\tle chat-{n} vit Anne\n" for n in range(40))
    (tmp_path / "mine.tsv").write_text("".join(lines))
    run = f"--run={tmp_path / 'run'}"
    pairs = f"--pairs={tmp_path / 'mine.tsv'}"
    assert command("train", *small, "--steps=5", pairs, run)[0] == 0
    assert command("translate", run, "the cat saw Ann")[0] == 0
    said = ["'the cat-99 saw ann'", "got 'cat-99', 'ann'", "--tokenizer subwords"]
    refused("translate", run, "the cat-99 saw ann", words=said)


@facts("flags", [[], ["--beam-width=3"], ["--sample", "--top-p=0.5", "--seed=1"]])
def test_a_training_that_went_too_far_does_not_translate(
    tmp_path, command, refused, small, flags
):
    far = ["--steps=1", "--schedule=constant", "--warmup=0", "--learning-rate=1e38"]
    code, out, errors = command("train", *small, *far, f"--output={tmp_path}")
    assert (code, f"saved in {tmp_path}" in out) == (2, True)
    assert "finite scores" in errors
    refused("translate", f"--run={tmp_path}", "one", *flags, words=["finite scores"])


@facts("ending", ["svg", "png"])
def test_translate_saves_what_the_model_looked_at(trained, command, tmp_path, ending):
    path = tmp_path / f"map.{ending}"
    text = next(iter(HARD))
    flags = ["--run", trained, "--attention", path]
    code, out, errors = command("translate", *flags, text)
    assert (code, out) == (0, f"{HARD[text]}\n")
    assert errors == f"where it looked is drawn in {path}.\n"
    start = {"svg": b"<?xml", "png": b"\x89PNG"}[ending]
    assert path.read_bytes().startswith(start)
