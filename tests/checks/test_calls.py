"""A call that Python refuses is answered with what to write."""

import inspect
import re
import sys
from collections.abc import Sequence
from dataclasses import fields
from types import ModuleType

import pytest
import torch

import transformer
from bookkit.checking.facts import facts
from transformer import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    SubwordTokenizer,
    Trainer,
    Transformer,
    TransformerConfig,
    WordTokenizer,
    attention_maps,
    beam_search,
    count_parameters,
    generate,
    greedy_decode,
    load_model,
    sample,
    save_model,
    speculative_sample,
)
from transformer.checks.calls import explain_exports, explained
from transformer.checks.names import OTHER_NAMES
from transformer.commands.settings import PRECISIONS, Settings
from transformer.costs import (
    cache_bytes,
    forward_flops,
    parameter_budget,
    step_flops,
    training_bytes,
)
from transformer.data import (
    Batch,
    CharacterTokenizer,
    encode_pairs,
    encode_texts,
    load_corpus,
    number_words,
    sorted_batches,
)
from transformer.layers import (
    ACTIVATIONS,
    LayerNorm,
    MultiHeadAttention,
    scaled_dot_product_attention,
)
from transformer.training import LabelSmoothingLoss, adam, list_checkpoints, snapshot
from transformer.zoo import CONFIGS, PieceTokenizer, from_hugging_face, load

CONFIG = TransformerConfig(vocab_size=7, d_model=4, num_heads=2, num_encoder_layers=0)

ONES = torch.ones(1, 3, 4)
SELF_ATTENTION = r"got only query; .*attention\(x, x, x\)"


@pytest.fixture
def x():
    return torch.zeros(1, 3, 4)


def test_attention_to_one_tensor_says_how_self_attention_is_written(x):
    attention = MultiHeadAttention(4, 2)
    for given in ([x], []):
        named = {} if given else {"query": x}
        with pytest.raises(TypeError, match=SELF_ATTENTION):
            attention(*given, **named)
    with pytest.raises(TypeError, match=SELF_ATTENTION):
        scaled_dot_product_attention(x)


@facts(
    "words, call",
    {
        "MultiHeadAttention.*num_heads, got d_model; pass num_heads": lambda: (
            MultiHeadAttention(4)
        ),
        "MultiHeadAttention.forward.*got query and value; pass key": lambda: (
            MultiHeadAttention(4, 2)(ONES, value=ONES)
        ),
        "generate.*got max_new_tokens; pass model and tokens": lambda: generate(
            max_new_tokens=3
        ),
        "load.*name by place, got 2 values": lambda: load("gpt2", "bert-base-uncased"),
        "load.*got nothing; pass name": load,
        "Transformer.*config, got nothing; .*TransformerConfig": lambda: Transformer(),
        "WordTokenizer.fit.*got nothing; pass texts": WordTokenizer.fit,
    }.items(),
)
def test_what_is_missing_is_named_with_what_is_needed(words, call, refuses):
    refuses(call, TypeError, words)


@facts("kind", [CharacterTokenizer, WordTokenizer, SubwordTokenizer])
def test_a_tokenizer_of_nothing_is_told_how_one_is_made(kind):
    name = kind.__name__
    with pytest.raises(TypeError, match=rf"^{name}.*got nothing; .*{name}\.fit\("):
        kind()


def test_a_method_is_named_by_the_class_of_its_object():
    tokenizer = WordTokenizer.fit(["a"])
    for method in ("encode", "decode", "fit"):
        with pytest.raises(TypeError, match=rf"^WordTokenizer\.{method}\(\) has no"):
            getattr(tokenizer, method)("a", zebra=True)


def test_python_says_what_is_given_twice(x):
    with pytest.raises(TypeError, match="multiple values for argument 'query'"):
        MultiHeadAttention(4, 2)(x, x, x, query=x)


@facts(
    "call, made",
    [
        (lambda: Transformer(512), "one, such as TransformerConfig"),
        (
            lambda: generate("gpt2", [[1]], max_new_tokens=3),
            r"one .*transformer\.zoo\.load",
        ),
        (lambda: SubwordTokenizer("gpt2"), r"the .*SubwordTokenizer\.fit\("),
    ],
)
def test_what_is_of_another_kind_is_told_how_it_is_made(call, made, refuses):
    refuses(call, TypeError, rf".*, got (int|str); make {made}")


def test_several_texts_are_encoded_one_by_one(refuses):
    encode = WordTokenizer.fit(["a"]).encode
    refuses(lambda: encode(["a"]), TypeError, "text.*got list; pass one text")


def test_an_argument_with_another_name_is_named(x):
    model = DecoderOnlyTransformer(CONFIG)
    said = "generate() has no argument 'max_tokens' (did you mean 'max_new_tokens'?)."
    with pytest.raises(TypeError, match=re.escape(said)):
        generate(model, [[1]], max_tokens=5)
    with pytest.raises(TypeError, match=re.escape("(did you mean 'need_weights'?)")):
        MultiHeadAttention(4, 2)(x, x, x, need_weight=True)


@pytest.fixture
def model():
    return DecoderOnlyTransformer(CONFIG)


@facts(
    "theirs, ours",
    [
        ("do_sample", "temperature"),
        ("num_beams", "beam_width"),
        ("max_length", "max_new_tokens"),
        ("input_ids", "tokens"),
        ("attention_mask", "mask"),
        ("eos_token_id", "eos_id"),
    ],
)
def test_what_hugging_face_calls_an_argument_leads_to_ours(model, theirs, ours):
    said = f"generate() has no argument {theirs!r} (did you mean {ours!r}?)."
    with pytest.raises(TypeError, match=re.escape(said)):
        generate(model, [[1]], **{theirs: 3})


def test_each_name_of_others_leads_to_a_name_that_is_here():
    configured = {field.name for field in fields(TransformerConfig)}
    called = (generate, scaled_dot_product_attention, speculative_sample, load_model)
    called += (MultiHeadAttention, LayerNorm, LabelSmoothingLoss, adam)
    called += (Transformer.forward, EncoderOnlyTransformer.forward)
    called += (DecoderOnlyTransformer.forward, MultiHeadAttention.forward)
    ours = {name for one in called for name in inspect.signature(one).parameters}
    ours |= configured | {*transformer.__all__, "rotary", *CONFIGS, *ACTIVATIONS}
    below = [("layers", "MultiHeadAttention"), ("layers", "PositionwiseFeedForward")]
    below += [("blocks", "EncoderLayer"), ("blocks", "DecoderLayer"), ("zoo", "load")]
    below += [("data", "TrainingBatches"), ("data", "load_corpus")]
    for room, name in below:
        assert hasattr(getattr(transformer, room), name)
        ours |= {name, f"{room}.{name}"}
    flags = {field.name for field in fields(Settings)} | {*PRECISIONS}
    for theirs, names in OTHER_NAMES.items():
        assert {*names} <= ours | flags, theirs
        assert theirs not in ours


@facts(
    "call",
    [
        *(generate, greedy_decode, sample, beam_search, speculative_sample),
        *(save_model, load_model, attention_maps, count_parameters, from_hugging_face),
        *(Trainer, LabelSmoothingLoss, adam, Transformer, MultiHeadAttention),
        *(WordTokenizer.encode, WordTokenizer.decode, SubwordTokenizer.encode),
        *(SubwordTokenizer.fit, WordTokenizer.fit, CharacterTokenizer.fit),
        *(encode_pairs, encode_texts, load_corpus, sorted_batches, cache_bytes),
        *(forward_flops, parameter_budget, step_flops, training_bytes),
    ],
)
def test_an_argument_like_no_other_is_answered_with_those_that_there_are(call):
    known = [name for name in inspect.signature(call).parameters if name != "self"]
    said = f"{call.__qualname__}() has no argument 'zebra'; it takes {', '.join(known)}"
    with pytest.raises(TypeError, match=f"^{re.escape(said)}\\.$"):
        call(zebra=True)


def test_a_value_too_many_is_told_which_others_there_are(model):
    said = "generate() must be given model and tokens by place, got 3 values; name the "
    with pytest.raises(TypeError, match=re.escape(f"{said}others, of max_new_tokens,")):
        generate(model, [[1]], 5)
    said = "Transformer() must be given config by place, got 2 values; pass no more."
    with pytest.raises(TypeError, match=f"^{re.escape(said)}$"):
        Transformer(512, 8)


@facts(
    "name, call, said",
    [
        ("batch_first", MultiHeadAttention, "leave it out, the batch is always the fi"),
        ("device", generate, "move what is returned, with .to(device)."),
        ("labels", DecoderOnlyTransformer(CONFIG), "compare the logits with torch.nn."),
    ],
)
def test_an_argument_of_pytorch_without_a_like_says_what_to_do(name, call, said):
    said = f"() has no argument '{name}'; {said}"
    with pytest.raises(TypeError, match=re.escape(said)):
        call(**{name: True})


def test_a_causal_mask_is_named_where_others_have_a_switch(x):
    said = "has no argument 'is_causal'; write mask=causal_mask(length), which stands"
    for attention in (MultiHeadAttention(4, 2), scaled_dot_product_attention):
        with pytest.raises(TypeError, match=re.escape(said)):
            attention(x, x, x, is_causal=True)


def test_attention_maps_are_shown_as_they_are_written(model):
    said = "got 2 values; write with attention_maps(model) as maps: model(ids)."
    with pytest.raises(TypeError, match=re.escape(said)):
        attention_maps(model, [[1]])


def test_what_attention_returns_says_where_its_tensor_is(x):
    found = scaled_dot_product_attention(x, x, x)
    for name in ("shape", "dtype", "mean"):
        with pytest.raises(AttributeError, match=f"weights; write .values.{name}.$"):
            getattr(found, name)
    for name in ("zebra", "_private"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'$"):
            getattr(found, name)


ROOMS = ("blocks", "costs", "data", "decoding", "layers", "models", "training", "zoo")
EXPORTED = {
    f"{room}.{name}": getattr(getattr(transformer, room), name)
    for room in ROOMS
    for name in getattr(transformer, room).__all__
}
# Results are tuples, errors and callbacks are made of anything, a base of nothing.
ANSWERING = {
    place: one
    for place, one in EXPORTED.items()
    if inspect.isfunction(one)
    or (isinstance(one, type) and inspect.isfunction(vars(one).get("__init__")))
}


@facts("place", ANSWERING)
def test_all_that_a_room_exports_explains_calls(place):
    name = place.partition(".")[2]
    with pytest.raises(TypeError) as refused:
        ANSWERING[place](*range(50))
    told = r"\(\) must be given .+ by place, got 50 values; .+\."
    told += r"|a configuration must be given its fields by name, .+\."
    assert re.fullmatch(f"{name}{told}", str(refused.value))


@facts(
    "words, call",
    {
        "Batch.*got nothing; pass source and target": Batch,
        "Batch.*'sorce'.*'source'": lambda: Batch(sorce=1),
        "number_words.*got 1 value; name": lambda: number_words(5),
        "folder.*got NoneType": lambda: list_checkpoints(None),
        "trainer.*Trainer, got str; make one": lambda: snapshot("x"),
        "file.*GGUFFile, got str; make one": lambda: PieceTokenizer("x"),
    }.items(),
)
def test_what_has_no_check_of_its_own_is_explained(words, call, refuses):
    refuses(call, TypeError, words)


def _measure(length: int, name: str | None = None) -> int:
    """Fail in one of three ways, by the name."""
    if name == "sentence":
        raise TypeError("the length must be short, got a long one.")
    return len(length) if name else name.upper()


@facts("name", ["encode_pairs", "encode_texts", "english"])
def test_what_a_room_exports_is_the_same_where_it_is_defined(name):
    """So it can be pickled: for the processes of a loader, say."""
    exported = getattr(transformer.data, name)
    assert getattr(sys.modules[exported.__module__], name) is exported


def test_an_error_from_within_stays_where_all_arguments_are_of_their_kind():
    with pytest.raises(TypeError, match=r"object of type 'int' has no len\(\)$"):
        explained(_measure)(3, "word")
    with pytest.raises(AttributeError, match=r"'NoneType' object has no attribute"):
        explained(_measure)(3)
    with pytest.raises(TypeError, match=r"^the length must be short, got a long one"):
        explained(_measure)(3, "sentence")


def _first(items: Sequence[int], share: float) -> float:
    """Ask an item for what it does not have."""
    return items[0].share * share


def test_what_only_behaves_as_a_sequence_or_a_number_is_not_accused():
    with pytest.raises(AttributeError, match=r"^'Tensor' object has no attribute"):
        explained(_first)(torch.ones(3), 2)


def test_a_value_of_another_kind_is_named_where_python_refuses_it():
    with pytest.raises(TypeError, match=r"^name must be a str, got bytes; make one"):
        explained(_measure)(3, b"word")


def test_what_a_call_that_succeeds_is_given_is_not_judged():
    assert explained(_measure)("four", b"word") == 4


def test_a_room_leaves_alone_what_explains_calls_already(monkeypatch):
    room = ModuleType("house")
    room.measure = room.door = explained(_measure)
    monkeypatch.setitem(sys.modules, "house", room)
    explain_exports("house", ["measure"])
    assert room.measure is room.door
