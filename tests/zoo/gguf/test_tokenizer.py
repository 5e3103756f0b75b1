"""The tokenizer of a GGUF file: by hand on a small one, and on that of SmolLM2."""

import random
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import regex
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from bookkit.checking.facts import facts, some
from transformer.config import TransformerConfig
from transformer.data import WordTokenizer
from transformer.models import DecoderOnlyTransformer
from transformer.zoo import LanguageModel, load
from transformer.zoo.gguf import GGUFFile, PieceTokenizer, read_gguf

ALPHABET = sorted(pre_tokenizers.ByteLevel.alphabet())
CONTROL = ["<|im_start|>", "<|im_end|>"]
MERGES = ["a b", "ab c", "Ġ ab"]
PIECES = [*CONTROL, *ALPHABET, *(merge.replace(" ", "") for merge in MERGES)]
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m['role'] + '\n' + m['content'] }}<|im_end|>"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>{% endif %}"
)
SMALL = {
    "tokenizer.ggml.model": "gpt2",
    "tokenizer.ggml.pre": "smollm",
    "tokenizer.ggml.tokens": PIECES,
    "tokenizer.ggml.token_type": [3] * 2 + [1] * (len(PIECES) - 2),
    "tokenizer.ggml.merges": MERGES,
    "tokenizer.ggml.eos_token_id": 1,
    "tokenizer.chat_template": TEMPLATE,
}


def small(**changes):
    fields = {**SMALL, **{f"tokenizer.{n}": v for n, v in changes.items()}}
    return PieceTokenizer(GGUFFile(Path("small.gguf"), fields, {}))


@pytest.fixture(scope="module")
def smollm2(real_file):
    return PieceTokenizer(read_gguf(real_file))


def test_pairs_are_merged_in_the_order_of_the_merges():
    tokenizer = small()
    pieces = [tokenizer.pieces[id] for id in tokenizer.encode("abc ab cab")]
    assert pieces == ["abc", "Ġab", "Ġ", "c", "ab"]


def test_the_second_piece_of_a_merge_may_hold_a_space():
    pieces = [*PIECES, "b c", "ab c"]
    kinds = [1] * len(pieces)
    changes = {"tokens": pieces, "token_type": kinds, "merges": [*MERGES, "a b c"]}
    tokenizer = small(**{f"ggml.{name}": value for name, value in changes.items()})
    assert [pieces[id] for id in tokenizer.encode("abc")] == ["abc"]


def test_digits_are_cut_one_by_one_before_anything_else():
    pieces = small().pieces
    assert [pieces[id] for id in small().encode("ab  12")] == ["ab", "Ġ", "Ġ", "1", "2"]


def test_what_looks_like_a_control_token_is_text():
    tokenizer = small()
    ids = tokenizer.encode("<|im_end|>")
    assert tokenizer.end_id not in ids
    assert tokenizer.decode(ids) == "<|im_end|>"


def test_control_tokens_are_not_shown():
    tokenizer = small()
    assert tokenizer.decode([0, *tokenizer.encode("ab"), 1]) == "ab"


def test_a_talk_follows_the_template_and_holds_control_tokens():
    tokenizer = small()
    ids = tokenizer.chat([{"role": "user", "content": "ab"}])
    assert ids == [0, *tokenizer.encode("user\nab"), 1, 0]


# The template, on lines of their own: only what stands between blocks is written.
SPREAD = """\
{%- for m in messages %}
    {% if m['role'] %}
<|im_start|>{{ m['role'] + '\n' + m['content'] }}<|im_end|>
    {%- endif %}
{% endfor %}
  {% if add_generation_prompt %}
<|im_start|>
  {%- endif %}
"""


def test_how_a_template_is_laid_out_is_no_part_of_the_talk():
    messages = [{"role": "user", "content": "ab"}, {"role": "me", "content": " c"}]
    assert small(chat_template=SPREAD).chat(messages) == small().chat(messages)


@facts(
    "message, said",
    [
        ({"role": "user"}, "a message.*got {'role'"),
        ({}, "a message.*got {}"),
        (
            {"role": "user", "content": "a<|im_end|>"},
            r"^the content of a .* no control token, got <\|im_end\|>; leave it out\.$",
        ),
        (
            {"role": "u<|im_start|>", "content": "a"},
            r"^the role of a .* no control token, got <\|im_start\|>; leave it out\.$",
        ),
    ],
)
def test_a_message_that_cannot_be_part_of_a_talk_is_refused(message, said):
    with pytest.raises(ValueError, match=said):
        small().chat([message])


@facts(
    "messages, said",
    [
        (
            [{"role": "user", "content": None}],
            "the content of a message.*got NoneType.*pass {",
        ),
        (
            [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
            "the content of a message.*got list.*pass {",
        ),
        ([{"role": 7, "content": "a"}], "the role of a message.*got int.*pass {"),
        ("ab", "messages.*got one str.*pass a list"),
        ({"role": "user"}, "messages.*got one dict.*pass"),
    ],
)
def test_what_is_no_text_is_no_talk(messages, said, refuses):
    refuses(lambda: small().chat(messages), TypeError, said)


TALK = [{"role": "user", "content": "ab"}, {"role": "me", "content": "abc"}]


def test_an_answer_is_learned_behind_what_a_talk_gives_to_read():
    tokenizer = small()
    prompt, end = tokenizer.chat(TALK[:1]), tokenizer.end_id
    written = [*tokenizer.encode("me\nabc"), end]
    ids, counted = tokenizer.answered(TALK)
    assert ids == prompt + written
    assert counted == [False] * len(prompt) + [True] * len(written)
    longer = [*TALK, TALK[0], {"role": "me", "content": "c"}]
    ids, counted = tokenizer.answered(longer)  # of several answers the last is learned
    assert ids == [*tokenizer.chat(longer[:3]), *tokenizer.encode("me\nc"), end]
    assert sum(counted) == len(tokenizer.encode("me\nc")) + 1


def test_a_begin_stands_before_the_talk_and_not_before_the_answer():
    begun = small(**{"ggml.add_bos_token": True, "ggml.bos_token_id": 7})
    assert begun.answered(TALK).ids == [7, *small().answered(TALK).ids]


def test_an_answer_ends_with_what_the_template_ends_it_with():
    """As in Llama 3, where the end of a turn is not that of a text."""
    changes = {"tokens": [*PIECES, "<|end|>"], "eot_token_id": 1}
    changes |= {"token_type": [*SMALL["tokenizer.ggml.token_type"], 3]}
    changes |= {"eos_token_id": len(PIECES)}
    tokenizer = small(**{f"ggml.{name}": value for name, value in changes.items()})
    assert tokenizer.end_id == len(PIECES)
    assert tokenizer.answered(TALK) == small().answered(TALK)


NAMED = (  # the turn of the model begins with its name, as in most templates
    "{% for m in messages %}<|im_start|>{{ m.role + '\n' + m.content }}<|im_end|>"
    "\n{% endfor %}{% if add_generation_prompt %}<|im_start|>me\n{% endif %}"
)


@facts(
    "messages, said",
    [
        ([], "messages.*got 0 messages before None"),
        (TALK[1:], "messages.*got 0 messages before"),
        ([TALK[0], {"role": "me", "content": ""}], "messages.*got 1 messages before"),
        ([TALK[0], TALK[0]], "template of talks.*got.*give it the role"),
    ],
)
def test_a_talk_without_an_answer_is_refused(messages, said, refuses):
    refuses(lambda: small(chat_template=NAMED).answered(messages), ValueError, said)


def test_an_answer_is_cut_into_tokens_as_the_model_writes_it():
    """The line break before it, and two with which it begins, are no longer token."""
    changes = {"tokens": [*PIECES, "ĊĊ"], "merges": [*MERGES, "Ċ Ċ"]}
    changes["token_type"] = [3] * 2 + [1] * (len(PIECES) - 1)
    changes = {f"ggml.{name}": value for name, value in changes.items()}
    tokenizer = small(chat_template=NAMED, **changes)
    assert len(tokenizer.encode("me\n\n\nab")) == len("me") + 3  # two breaks in one
    ids, counted = tokenizer.answered([TALK[0], {"role": "me", "content": "\n\nab"}])
    learned = [id for id, counts in zip(ids, counted, strict=True) if counts]
    assert learned == [*tokenizer.encode("\n\nab"), tokenizer.end_id]
    assert ids[: -len(learned)] == tokenizer.chat(TALK[:1])


def test_a_talk_may_come_one_message_at_a_time():
    messages = [{"role": "user", "content": "ab"}, {"role": "me", "content": "c"}]
    assert small().chat(iter(messages)) == small().chat(messages)


def test_a_model_without_a_template_does_not_talk():
    said = r"^the model must come with a template of talks, got none; use encode\.$"
    with pytest.raises(ValueError, match=said):
        small(chat_template=None).chat([{"role": "user", "content": "a"}])


@facts(
    "template, said",
    [
        ("{{ 1 / 0 }}", "division by zero"),
        ("{% for x in range(10**9) %}{% endfor %}", "Range too big"),
        ("{{ messages + 1 }}", "can only concatenate list"),
        ("{% for %}", "Expected an expression"),
    ],
)
def test_a_template_that_fails_in_any_way_is_refused(template, said):
    with pytest.raises(ValueError, match=f"template of talks must write .*({said})"):
        small(chat_template=template).chat([{"role": "user", "content": "a"}])


def test_a_template_cannot_leave_its_sandbox():
    template = "{{ messages.__class__.__mro__[1].__subclasses__() }}"
    with pytest.raises(ValueError, match=r"template of talks must .*unsafe"):
        small(chat_template=template).chat([{"role": "user", "content": "a"}])


def test_without_its_package_a_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ImportError, match=r"tokenizers, which is not .*pip install"):
        small()


@facts(
    "changes, said",
    [
        ({"ggml.model": "llama"}, "of model 'gpt2' .*, got 'llama' and 'smollm'"),
        ({"ggml.pre": "tekken"}, "cuts as smollm or gpt-2, got 'gpt2' and 'tekken'"),
        ({"ggml.tokens": None}, "must list its pieces once each"),
        ({"ggml.tokens": [*PIECES[:-1], "a"]}, "must list its pieces once each"),
        ({"ggml.token_type": [1]}, "a type of each"),
        ({"ggml.eos_token_id": len(PIECES)}, "the end 261"),
        ({"ggml.eos_token_id": -1}, "the end -1"),
        ({"ggml.eos_token_id": True}, "the end True"),
        ({"ggml.merges": ["x yz"]}, "tokenizer of small.gguf must be whole"),
        ({"ggml.merges": ["ab"]}, "tokenizer of small.gguf must be whole"),
        ({"ggml.model": np.arange(3)}, r"of model 'gpt2' .*, got array\(\[0, 1, 2\]\)"),
        ({"ggml.pre": np.arange(3)}, r"'gpt2' and array\(\[0, 1, 2\]\); load another"),
        ({"chat_template": 7}, "template of talks of small.gguf.*got 7"),
    ],
)
def test_a_damaged_tokenizer_is_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        small(**changes)


@facts("end", [0, len(PIECES) - 1])
def test_any_piece_may_be_the_end(end):
    assert small(**{"ggml.eos_token_id": end}).end_id == end


@facts("id", [-1, len(PIECES)])
def test_an_id_of_no_piece_is_refused(id):
    with pytest.raises(ValueError, match=f"ids must lie from 0 to 260, got {id};"):
        small().decode([2, id])


def test_half_a_letter_is_refused():
    with pytest.raises(ValueError, match="half of a surrogate pair at character 1"):
        small().encode("a\ud83d")


@given(st.text())
def test_a_text_comes_back_as_it_was(text):
    tokenizer = small()
    assert tokenizer.decode(tokenizer.encode(text)) == text


# The expressions of llama.cpp for `smollm`, one after the other.
CUTS = (
    r"\p{N}",
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)
PARTS = [
    *("the cat", " don't", "We'll", " naïve", "É", "e\u0301", "ßtraße", "Ελλάδα"),
    *(
        "日本語",
        "한국어",
        "العربية",
        "हिन्दी",
        "ไทย",
        "עברית",
        "ქართული",
        "🙂",
        "👩‍👩‍👧",
    ),
    *(" 12", "3.14", "½", "²", "Ⅷ", "٣", "1e-5", "0x1F", " ", "  ", "\n", "\n\n", "\t"),
    *("\r\n", "\u00a0", "\u200b", "def f(x):\n    return x**2", "<p class='a'>", "—"),
    *("...", "?!", "''", "_a_b", "C++", "$$x_i$$", "<|im_x|>", "http://a.b/c?d=1"),
]


def cut(text):
    """Cut a text at each expression in turn, as llama.cpp does."""
    parts = [text]
    for expression in CUTS:
        parts = [p for part in parts for p in _split(expression, part)]
    return parts


def _split(expression, text):
    """Split a text into the matches of an expression and what lies between them."""
    end = 0
    for match in regex.finditer(expression, text):
        if match.start() > end:
            yield text[end : match.start()]
        yield match[0]
        end = match.end()
    if end < len(text):
        yield text[end:]


def merge(word, ranks):
    """Merge the bytes of a word, the pair of the first merge first."""
    letters = dict(zip(range(256), _letters(), strict=True))
    pieces = [letters[byte] for byte in word.encode()]
    while len(pieces) > 1:
        pairs = list(pairwise(pieces))
        best = min(pairs, key=lambda pair: ranks.get(pair, len(ranks)))
        if best not in ranks:
            break
        merged, place = [], 0
        while place < len(pieces):
            two = tuple(pieces[place : place + 2])
            merged.append("".join(two) if two == best else pieces[place])
            place += 2 if two == best else 1
        pieces = merged
    return pieces


def _letters():
    """Return the letter of each byte: itself if it can be seen, else one further on."""
    seen = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = iter(range(256, 512))
    return [chr(byte if byte in seen else next(hidden)) for byte in range(256)]


def drawn_texts(seed):
    """A thousand texts of parts that a tokenizer may get wrong."""
    draw = random.Random(seed)
    drawn = (draw.choices(PARTS, k=draw.randint(0, 12)) for _ in range(1000))
    return ["".join(parts) for parts in drawn]


def test_drawn_texts_get_the_ids_of_plain_python(smollm2, real_file):
    fields = read_gguf(real_file).fields
    merges = fields["tokenizer.ggml.merges"]
    ranks = {tuple(pair.split(" ", 1)): rank for rank, pair in enumerate(merges)}
    ids = {piece: id for id, piece in enumerate(smollm2.pieces)}
    merged = cache(lambda word: merge(word, ranks))
    for text in some(drawn_texts(seed=7), 250):
        expected = [ids[piece] for word in cut(text) for piece in merged(word)]
        assert smollm2.encode(text) == expected, text
        assert smollm2.decode(expected) == text


def test_an_answer_of_smollm2_token_by_token(smollm2):
    talk = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello!"},
    ]
    ids, counted = smollm2.answered(talk)
    pieces = [smollm2.pieces[id] for id in ids]
    assert pieces[-7:-3] == ["<|im_start|>", "ass", "istant", "Ċ"]
    assert [p for p, c in zip(pieces, counted, strict=True) if c] == [
        *("Hello", "!", "<|im_end|>")
    ]
    assert ids[:-3] == smollm2.chat(talk[:1])


def test_drawn_texts_get_the_ids_of_hugging_face(smollm2, real_file):
    from transformers import AutoTokenizer

    folder, name = real_file.parent, real_file.name
    theirs = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    # Their reading of the file leaves out that digits are cut apart first, as the
    # model's own tokenizer does (https://github.com/ggml-org/llama.cpp/pull/8609).
    merging = theirs.backend_tokenizer
    digits = pre_tokenizers.Digits(individual_digits=True)
    merging.pre_tokenizer = pre_tokenizers.Sequence([digits, merging.pre_tokenizer])
    for text in some(drawn_texts(seed=11), 250):
        assert smollm2.encode(text) == theirs(text).input_ids, text
    messages = [{"role": "user", "content": "What is 12 times 3?"}]
    talk = theirs.apply_chat_template(messages, add_generation_prompt=True)
    assert smollm2.chat(messages) == talk["input_ids"]


def test_rows_are_not_decoded(refuses):
    message = "ids.*got .* among them.*decode each"
    refuses(lambda: small().decode(torch.tensor([[2, 3]])), TypeError, message)
    message = "ids.*got 5.*pass a list"
    refuses(lambda: small().decode(5), TypeError, message)


# What else a file says of its tokens

USER_DEFINED = ["<think>", "</think>", "naïve Ġ"]


def with_types(*kinds, pieces=USER_DEFINED, **changes):
    """The small tokenizer with further pieces, of such types."""
    types = [*SMALL["tokenizer.ggml.token_type"], *kinds]
    changes = {"tokens": [*PIECES, *pieces], "token_type": types, **changes}
    return small(**{f"ggml.{name}": value for name, value in changes.items()})


def test_what_a_user_has_defined_is_found_in_every_text():
    tokenizer = with_types(4, 4, 4)
    first, second, third = range(len(PIECES), len(PIECES) + 3)
    plain = small()
    text = "<think>ab</think> naïve Ġ"
    expected = [first, *plain.encode("ab"), second, *plain.encode(" "), third]
    assert tokenizer.encode(text) == expected
    assert tokenizer.decode(expected) == text
    talk = tokenizer.chat([{"role": "me", "content": "<think>"}])
    assert first in talk


def test_the_longest_that_a_user_has_defined_wins():
    tokenizer = with_types(4, 4, pieces=["  ", "   "])
    assert tokenizer.encode("   ") == [len(PIECES) + 1]


@facts("kind", [2, 3, 5])
def test_what_is_unknown_or_unused_is_neither_found_nor_shown(kind):
    tokenizer = with_types(kind, pieces=["<odd>"])
    assert tokenizer.encode("<odd>") == small().encode("<odd>")
    assert tokenizer.decode([len(PIECES), *small().encode("ab")]) == "ab"


@facts(
    "flags, before, after",
    [
        ({"add_bos_token": True, "bos_token_id": 0}, [0], []),
        ({"add_bos_token": False, "bos_token_id": 0}, [], []),
        ({"add_eos_token": True}, [], [1]),
        ({"add_bos_token": True, "add_eos_token": True, "bos_token_id": 0}, [0], [1]),
        ({"add_space_prefix": True, "remove_extra_whitespaces": True}, [], []),
    ],
)
def test_a_text_stands_between_the_begin_and_the_end_that_the_file_asks_for(
    flags, before, after
):
    tokenizer = with_types(pieces=[], **flags)
    assert tokenizer.encode("ab") == [*before, *small().encode("ab"), *after]
    assert tokenizer.decode(tokenizer.encode("ab")) == "ab"


TURNS = (
    "{{ bos_token }}{% for m in messages %}{{ m.content }}{{ eos_token }}{% endfor %}"
)


@facts("asked", [True, False])
def test_a_template_may_name_the_begin_and_the_end(asked):
    fields = {"add_bos_token": asked, "bos_token_id": 0}
    fields = {f"ggml.{name}": value for name, value in fields.items()}
    tokenizer = small(**fields, chat_template=TURNS)
    talk = tokenizer.chat(
        [{"role": "me", "content": "ab"}, {"role": "you", "content": "c"}]
    )
    plain = small()
    assert talk == [0, *plain.encode("ab"), 1, *plain.encode("c"), 1]


def test_a_begin_that_the_template_leaves_out_is_put_before():
    fields = {"ggml.add_bos_token": True, "ggml.bos_token_id": 5}
    talk = [{"role": "user", "content": "ab"}]
    assert small(**fields).chat(talk) == [5, *small().chat(talk)]


def test_several_tokens_may_end_an_answer():
    tokenizer = with_types(3, pieces=["<|eot|>"], eot_token_id=len(PIECES))
    assert tokenizer.end_ids == (1, len(PIECES))
    assert small().end_ids == (1,)


@facts(
    "fields, said",
    [
        ({"add_bos_token": True}, "got bos_token_id=None"),
        ({"add_bos_token": 1}, "got add_bos_token=1"),
        ({"add_sep_token": True}, "got add_sep_token=True"),
        ({"bos_token_id": 100_000}, "got bos_token_id=100000"),
        ({"eot_token_id": True}, "got eot_token_id=True"),
    ],
)
def test_flags_and_ids_that_cannot_be_followed_are_refused(fields, said):
    with pytest.raises(ValueError, match=said):
        with_types(pieces=[], **fields)


def test_a_tokenizer_is_saved_with_its_model_and_comes_back(tmp_path):
    fields = {"add_bos_token": True, "bos_token_id": 0, "eot_token_id": len(PIECES) - 1}
    tokenizer = with_types(4, pieces=["<think>"], **fields)
    sizes = {"d_model": 8, "d_ff": 5, "num_heads": 2, "num_decoder_layers": 1}
    config = TransformerConfig.decoder_only(vocab_size=len(tokenizer), **sizes)
    model = DecoderOnlyTransformer(config).eval()
    model.save(tmp_path, tokenizer=tokenizer)
    again, found = load(tmp_path, dtype=torch.float64)
    text, talk = "<think>ab c", [{"role": "user", "content": "ab"}]
    assert found.encode(text) == tokenizer.encode(text)
    assert found.chat(talk) == tokenizer.chat(talk)
    assert found.end_ids == tokenizer.end_ids
    ids = torch.tensor([tokenizer.encode(text)])
    assert torch.equal(again(ids), model.double()(ids))
    words = WordTokenizer.fit(["one two"])
    model.save(tmp_path, tokenizer=words)
    assert load(str(tmp_path)).tokenizer.encode("two one") == words.encode("two one")
    model.save(tmp_path)
    assert isinstance(load(tmp_path), DecoderOnlyTransformer)


def test_a_published_name_is_no_folder(tmp_path, monkeypatch):
    config = TransformerConfig.decoder_only(vocab_size=7, d_model=8, num_heads=2)
    pair = LanguageModel(DecoderOnlyTransformer(config), small())
    monkeypatch.setattr("transformer.zoo.hub.load_installed", lambda name: pair)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smollm2-135m").mkdir()
    assert load("smollm2-135m") is pair
