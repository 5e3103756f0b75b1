"""Tokenizers keep the whole text, number pieces alike everywhere and can be saved."""

import json
import re
import unicodedata

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bookkit.checking.facts import facts
from transformer.data import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    SPECIALS,
    TOKENIZERS,
    UNK_ID,
    CharacterTokenizer,
    SubwordTokenizer,
    WordTokenizer,
    tokenizer_from_dict,
)
from transformer.data.pieces import is_piece, join_words, split_words

TEXTS = ["the cat sat on the mat", "the dog, the cat: quatre-vingt-dix!"]
SPECIAL_IDS = [PAD_ID, BOS_ID, EOS_ID, UNK_ID]


@pytest.fixture(params=TOKENIZERS, scope="module")
def tokenizer(request):
    return TOKENIZERS[request.param].fit(TEXTS)


def test_the_special_ids_stand_in_the_order_of_their_names():
    assert SPECIALS == ("<pad>", "<bos>", "<eos>", "<unk>")
    assert SPECIAL_IDS == [0, 1, 2, 3]


@facts(
    "text, pieces",
    [
        ("quatre-vingt-dix", ["quatre", "##-vingt", "##-dix"]),
        ("a  b\tc\nd", ["a", "b", "c", "d"]),
        ("Don't!", ["Don", "##'t", "##!"]),
        ("(yes)", ["(yes", "##)"]),
        ("wait...", ["wait", "##.", "##.", "##."]),
        ("...wait", [".", "##.", "##.wait"]),
        ("## ##a", ["#", "###", "#", "###a"]),
        ("e\u0301t\u00e9", ["\u00e9t\u00e9"]),
        (" ", []),
    ],
)
def test_a_text_is_split_at_spaces_and_marks(text, pieces):
    assert split_words(text) == pieces


@given(st.text())
def test_words_give_any_text_back_up_to_spaces(text):
    expected = " ".join(unicodedata.normalize("NFC", text).split())
    assert join_words(split_words(text)) == expected


@given(st.text(min_size=1).filter(str.strip))
def test_a_word_tokenizer_gives_back_what_it_was_made_from(text):
    tokenizer = WordTokenizer.fit([text])
    expected = " ".join(unicodedata.normalize("NFC", text).split())
    assert tokenizer.decode(tokenizer.encode(text)) == expected


@given(st.text(min_size=1))
def test_a_character_tokenizer_gives_back_what_it_was_made_from(text):
    tokenizer = CharacterTokenizer.fit([text])
    expected = unicodedata.normalize("NFC", text)
    assert tokenizer.decode(tokenizer.encode(text)) == expected


@given(st.text())
def test_each_piece_of_a_text_is_known_as_a_piece(text):
    assert all(is_piece(piece) for piece in split_words(text))


def test_ids_go_by_count_then_alphabet():
    tokenizer = WordTokenizer.fit(["b c a", "c d a", "c"])
    assert tokenizer.vocabulary == ("c", "a", "b", "d")
    assert tokenizer.encode("c a b d") == [4, 5, 6, 7]
    assert tokenizer.vocab_size == 8


def test_the_order_of_texts_does_not_change_the_ids(tokenizer):
    other = type(tokenizer).fit(TEXTS[::-1])
    assert other.to_dict() == tokenizer.to_dict()


def test_rare_words_are_left_out_on_demand():
    tokenizer = WordTokenizer.fit(TEXTS, min_count=2)
    assert tokenizer.vocabulary == ("the", "cat")
    assert tokenizer.encode("the dog") == [4, UNK_ID]


def test_there_is_a_piece_for_each_id(tokenizer):
    for text in (*TEXTS, "nothing of this is known: é"):
        assert len(tokenizer.pieces(text)) == len(tokenizer.encode(text))
    assert "".join(tokenizer.pieces("the cat")).replace(" ", "") == "thecat"


def test_unknown_pieces_are_named_in_order():
    assert WordTokenizer.fit(["a b"]).unknown("x a y-z b") == ["x", "y", "##-z"]
    assert CharacterTokenizer.fit(["ab"]).unknown("xab") == ["x"]


def test_a_text_never_names_a_special_id(tokenizer):
    ids = tokenizer.encode("<pad> <bos> <eos> the cat")
    assert not {PAD_ID, BOS_ID, EOS_ID} & set(ids)


def test_decoding_drops_special_ids_and_stops_at_the_end(tokenizer):
    ids = tokenizer.encode("the cat")
    assert tokenizer.decode([BOS_ID, PAD_ID, *ids, UNK_ID, EOS_ID, *ids]) == "the cat"


def test_no_ids_are_no_text(tokenizer):
    assert tokenizer.encode("") == []
    assert tokenizer.decode([]) == ""


def test_a_saved_tokenizer_is_the_same_after_json(tokenizer):
    other = tokenizer_from_dict(json.loads(json.dumps(tokenizer.to_dict())))
    assert type(other) is type(tokenizer)
    assert other.to_dict() == tokenizer.to_dict()
    assert other.encode(TEXTS[1]) == tokenizer.encode(TEXTS[1])


def test_a_tokenizer_says_how_many_ids_it_has():
    assert repr(WordTokenizer.fit(["a b"])) == "WordTokenizer(6 ids)"


WORDS = WordTokenizer.fit(["a b"])


def changed(**changes):
    """A description of `WORDS` in which something is changed."""
    return {**WORDS.to_dict(), **changes}


BAD_DESCRIPTIONS = [
    ([], TypeError, "description.*got list"),
    ({}, ValueError, "kind.*got None"),
    ({"kind": "sentencepiece"}, ValueError, "kind.*got 'sentencepiece'.*choose one"),
    (
        {"kind": "words", "pieces": ["a"]},
        ValueError,
        "the description of .*must hold kind, .*got kind, pieces",
    ),
    (
        changed(more=1),
        ValueError,
        "the description of .*must hold .*, got .*more.*; pass what",
    ),
    (changed(specials=["<s>"]), ValueError, r"the special ids.*got \['<s>'\].*pass"),
    (
        changed(pieces=["a"]),
        ValueError,
        "the description.*got vocab_size=6 and 5 .*make it again",
    ),
    (changed(pieces="ab"), ValueError, "pieces.*got str.*to_dict"),
    (
        changed(pieces=["b", "a", "a"], vocab_size=7),
        ValueError,
        "each piece.*got 'a' more than once.*make them",
    ),
    (changed(pieces=["a", "b c"]), ValueError, "pieces.*got 'b c'.*make them"),
    (changed(pieces=["a", 7]), TypeError, "each piece.*got int"),
    (changed(kind="characters", pieces=["a", "bc"]), ValueError, "pieces.*got 'bc'"),
]


@facts("description, error, message", BAD_DESCRIPTIONS)
def test_a_bad_description_is_refused_with_the_reason(
    description, error, message, refuses
):
    refuses(lambda: tokenizer_from_dict(description), error, message)


def test_a_description_of_another_kind_is_refused(refuses):
    refuses(
        lambda: CharacterTokenizer.from_dict(WORDS.to_dict()),
        ValueError,
        "the description.*got 'words'.*tokenizer_from_dict",
    )
    refuses(
        lambda: CharacterTokenizer.from_dict([]), TypeError, "description.*got list"
    )
    refuses(
        lambda: CharacterTokenizer.from_dict({}),
        ValueError,
        "the description .* kind, pieces, specials, vocab_size, got nothing; pass what",
    )


@facts("ids", [[6], [-1]])
def test_foreign_ids_are_refused(ids, refuses):
    refuses(lambda: WORDS.decode(ids), ValueError, f"ids.*got {ids[0]}.*decode")


BAD_TEXTS = [
    (lambda: WordTokenizer.fit("a b"), TypeError, "texts.*got one str"),
    (
        lambda: WordTokenizer("gpt2"),
        TypeError,
        "pieces.*got 'gpt2'.*make the tokenizer",
    ),
    (
        lambda: CharacterTokenizer.fit([]),
        ValueError,
        "a tokenizer of characters.*got none.*pass texts",
    ),
    (lambda: WordTokenizer.fit([1]), TypeError, "text.*got int"),
    (lambda: CharacterTokenizer(7), TypeError, "pieces.*got 7.*make the tokenizer"),
    (
        lambda: WordTokenizer({"a": 4}),
        TypeError,
        "pieces.*got {'a': 4}.*make the tokenizer",
    ),
    (
        lambda: WordTokenizer.fit(["a"], min_count=2),
        ValueError,
        "a tokenizer of .*at least one piece, got none; .* a smaller min_count",
    ),
    (lambda: WordTokenizer.fit(["a"], min_count=0), ValueError, "min_count.*got 0"),
    (lambda: WORDS.encode(b"a"), TypeError, "text.*got bytes"),
    (lambda: SubwordTokenizer.fit("a b"), TypeError, "texts.*got one str"),
]


@facts("call, error, message", BAD_TEXTS)
def test_bad_texts_are_refused_with_what_to_do(call, error, message, refuses):
    refuses(call, error, message)


@facts(
    "ids", [torch.tensor([[4, 5]]), [[4, 5]], "the cat"], ids=["tensor", "list", "text"]
)
def test_rows_and_texts_are_not_decoded(ids, refuses):
    message = "ids.*got .* among them.*decode each"
    refuses(lambda: WORDS.decode(ids), TypeError, message)


def test_a_row_that_is_decoded_is_told_by_its_shape(refuses):
    message = r"ids.*got a row of shape \(11,\) among them"
    refuses(lambda: WORDS.decode(torch.ones(2, 11).long()), TypeError, message)


@facts("ids", [[4.7, 5.2], [5.0], torch.tensor([4.0]), [None]])
def test_what_is_no_whole_number_is_not_decoded(ids, refuses):
    message = "ids.*got .*convert them"
    refuses(lambda: WORDS.decode(ids), TypeError, message)


@facts("ids", [5, None, torch.tensor(5)], ids=str)
def test_what_is_no_list_of_ids_is_not_decoded(tokenizer, ids, refuses):
    said = rf"ids must be those of a text, got {re.escape(repr(ids))}; pass a list,"
    refuses(lambda: tokenizer.decode(ids), TypeError, said)


@facts("kind", [torch.uint8, torch.int64])
def test_ids_in_a_tensor_are_decoded(kind):
    ids = torch.tensor([4, 5], dtype=kind)
    assert WORDS.decode(iter(ids)) == WORDS.decode(iter(ids.numpy())) == "a b"


def test_a_tokenizer_is_as_long_as_it_has_ids(tokenizer):
    assert len(tokenizer) == tokenizer.vocab_size > len(SPECIALS)


def test_a_prompt_begins_as_texts_did_in_training(tokenizer):
    plain = tokenizer.encode("cat sat")
    assert tokenizer.encode_prompt("cat sat") == [BOS_ID, *plain]
    opened = tokenizer_from_dict(tokenizer.to_dict())
    opened.opening = "the"
    assert opened.encode_prompt(" cat sat") == opened.encode("the cat sat")
    assert opened.encode("cat sat") == plain
    assert tokenizer.opening is None  # the other one has a text of its own


def test_what_opens_a_text_is_saved(tokenizer):
    assert "opening" not in tokenizer.to_dict()
    opened = tokenizer_from_dict(tokenizer.to_dict())
    opened.opening = "the"
    other = tokenizer_from_dict(json.loads(json.dumps(opened.to_dict())))
    assert other.encode_prompt("cat") == opened.encode_prompt("cat")
    assert other.to_dict() == opened.to_dict()


@facts(
    "opening, error, message",
    [(3, TypeError, "opening.*int"), ("€", ValueError, "opening.*'€'.*fit")],
)
def test_what_cannot_open_a_text_is_refused(opening, error, message):
    tokenizer = CharacterTokenizer.fit(TEXTS)
    with pytest.raises(error, match=message):
        tokenizer.opening = opening
