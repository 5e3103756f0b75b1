"""Subwords spell any text, merge what is frequent and can be saved."""

import os
import sys
import unicodedata

import tokenizers
from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.data import UNK_ID, SubwordTokenizer, tokenizer_from_dict

TEXTS = ["low lower lowest", "new newer newest", "low new"]
FITTED = SubwordTokenizer.fit(TEXTS, vocab_size=269)


@given(st.text())
def test_any_text_comes_back_whole(text):
    ids = FITTED.encode(text)
    assert FITTED.decode(ids) == unicodedata.normalize("NFC", text)
    assert UNK_ID not in ids
    assert FITTED.unknown(text) == []


def test_a_frequent_pair_becomes_one_piece():
    assert len(FITTED.encode("low")) < len(FITTED.encode("xyz")) == 3


def test_no_space_is_put_before_a_text():
    fitted = SubwordTokenizer.fit(TEXTS)
    assert fitted.decode(fitted.encode("low")) == "low"


def test_nothing_is_drawn_in_a_terminal(monkeypatch):
    reader, terminal = os.openpty()
    before = os.dup(2)
    os.dup2(terminal, 2)  # where the library would draw a bar
    try:
        SubwordTokenizer.fit(TEXTS)
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(terminal)
    os.set_blocking(reader, False)
    try:
        drawn = os.read(reader, 1000)
    except OSError:  # the other end is closed, and nothing has come
        drawn = b""
    os.close(reader)
    assert drawn == b""


def test_accents_are_learned_however_they_are_written():
    composed = ["été étés", "été à côté"]
    decomposed = [unicodedata.normalize("NFD", text) for text in composed]
    learned = [SubwordTokenizer.fit(texts) for texts in (composed, decomposed)]
    assert learned[0].to_dict() == learned[1].to_dict()
    assert len(learned[1].encode("été")) == 1


def test_ids_begin_after_the_special_ones_and_are_all_used():
    assert FITTED.vocab_size == 269
    letters = [FITTED.encode(chr(code))[0] for code in range(128)]
    assert min(letters) >= 4
    assert max(FITTED.encode(" ".join(TEXTS))) == 268


@facts("vocab_size", [260, 263])
def test_merges_stop_at_the_size_asked_for(vocab_size):
    assert SubwordTokenizer.fit(TEXTS, vocab_size=vocab_size).vocab_size == vocab_size


def test_merges_stop_when_no_pair_occurs_twice():
    assert SubwordTokenizer.fit(["ab"]).vocab_size == 260


def test_a_cut_letter_is_shown_as_replacement():
    first, _ = FITTED.encode("é")
    assert FITTED.decode([first]) == "\ufffd"


@facts(
    "make",
    [
        lambda: SubwordTokenizer.fit(TEXTS),
        lambda: SubwordTokenizer.from_dict(FITTED.to_dict()),
        lambda: SubwordTokenizer(FITTED.merges),
    ],
)
def test_the_package_must_be_installed(monkeypatch, refuses, make):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    message = "^subwords need tokenizers, which is not installed; run: pip install "
    message += '"tested-transformer\\[training]"$'
    refuses(make, ImportError, message)


def foreign(**changes):
    """A description whose merges are of another kind."""
    merges = {**FITTED.to_dict()["merges"], **changes}
    return {**FITTED.to_dict(), "merges": merges}


SPECIAL = tokenizers.Tokenizer.from_str(FITTED.merges.to_str())
SPECIAL.add_special_tokens(["<pad>"])

BAD_INPUTS = [
    (
        lambda: SubwordTokenizer.fit(TEXTS, vocab_size=259),
        ValueError,
        "vocab_size.*got 259",
    ),
    (
        lambda: FITTED.encode("ab\ud800"),
        ValueError,
        "text.*got half of a surrogate pair at character 2",
    ),
    (
        lambda: tokenizer_from_dict({**FITTED.to_dict(), "merges": {"a": 1}}),
        ValueError,
        "merges.*got something it cannot",
    ),
    (
        lambda: tokenizer_from_dict({**FITTED.to_dict(), "vocab_size": 7}),
        ValueError,
        "the description.*got vocab_size=7 and 269 with the special ones",
    ),
    (
        lambda: tokenizer_from_dict(foreign(normalizer={"type": "Lowercase"})),
        ValueError,
        "merges must be byte-level byte-pair encoding .* make it with SubwordTokenizer",
    ),
    (
        lambda: SubwordTokenizer(tokenizers.Tokenizer(tokenizers.models.BPE())),
        ValueError,
        "merges.*got something else",
    ),
    (lambda: SubwordTokenizer(SPECIAL), ValueError, "merges.*got something else"),
    (lambda: FITTED.unknown(7), TypeError, "text.*got int"),
]


@facts("call, error, message", BAD_INPUTS)
def test_bad_input_is_refused_with_what_to_do(call, error, message, refuses):
    refuses(call, error, message)
