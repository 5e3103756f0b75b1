"""The fact cards: who uses what, where they lead, and what a translation lacks."""

import re
from copy import deepcopy

import pytest
from where_shown import ROOT, parts, places

from bookkit.book.errors import BookError
from bookkit.book.outline import read_outline
from bookkit.checking.facts import facts
from bookkit.publishing.appendix import cards as cards_page
from transformer.zoo import CONFIGS

PAGE = ROOT / "book/appendix/fact_cards.md"
CARDS = cards_page.read_cards(ROOT)
# What the cards call the models of the zoo; longer names stand first.
MODELS = {
    "Transformer of 2017": "transformer-base",
    "BERT": "bert-base-uncased",
    "GPT-2": "gpt2",
    "GPT-NeoX": "gpt-neox-20b",
    "T5 1.1": "t5-v1_1-base",
    "T5": "t5-base",
    "Llama 2 70B": "llama-2-70b",
    "Llama 2": "llama-2-7b",
    "Llama 3": "llama-3-8b",
    "Mistral 7B": "mistral-7b",
    "SmolLM2": "smollm2-135m",
}
NAMED = re.compile("|".join(map(re.escape, MODELS)))
# How a sentence on users begins, and what the models that it names have in common.
USERS = [
    ("embedding", "Tied", lambda c: c.tie_embeddings),
    ("embedding", "Not tied", lambda c: not c.tie_embeddings),
    ("embedding", "The Transformer of 2017 multiplies", lambda c: c.scale_embeddings),
    ("attention", "With the root", lambda c: c.scale_attention),
    ("attention", "T5 leaves", lambda c: not c.scale_attention),
    ("heads", "$8$ heads", lambda c: c.num_heads == 8),
    ("heads", "$12$", lambda c: c.num_heads == 12),
    ("heads", "$9$", lambda c: c.num_heads == 9),
    ("heads", "$32$", lambda c: c.num_heads == 32),
    ("masks", "Causal", lambda c: c.num_decoder_layers),
    ("masks", "Only padding", lambda c: not c.num_decoder_layers),
    ("sinusoids", "The Transformer", lambda c: c.position == "sinusoidal"),
    ("sinusoids", "BERT and GPT-2 learn", lambda c: c.position == "learned"),
    ("rotary", "Llama", lambda c: c.position == "rotary"),
    ("biases", "T5", lambda c: c.position == "relative"),
    ("feed-forward", "With", lambda c: c.d_ff == 4 * c.d_model and not c.gated),
    ("activations", "ReLU", lambda c: c.activation == "relu"),
    ("activations", "GELU", lambda c: c.activation in ("gelu", "gelu_tanh")),
    ("activations", "SiLU", lambda c: c.activation == "silu" and c.gated),
    ("gates", "SwiGLU", lambda c: c.gated and c.activation == "silu"),
    ("gates", "GEGLU", lambda c: c.gated and c.activation == "gelu_tanh"),
    ("layer-norm", "The", lambda c: c.norm == "layer"),
    ("rms-norm", "T5", lambda c: c.norm == "rms"),
    ("norm-placement", "Post", lambda c: c.norm_placement == "post"),
    ("norm-placement", "Pre", lambda c: c.norm_placement == "pre" and c.final_norm),
    ("families", "Encoder", lambda c: not c.num_decoder_layers),
    ("families", "Decoder", lambda c: not c.num_encoder_layers),
    ("families", "Both", lambda c: c.num_encoder_layers and c.num_decoder_layers),
    ("cache", "Decoders", lambda c: c.num_decoder_layers),
    ("shared-keys", "Shared", lambda c: c.kv_heads < c.num_heads),
]
KNOWN = {name for name, *_ in USERS} | {"tokens", "residual", "counts", "bits"}


@facts("name, begins, holds", USERS)
def test_those_who_are_said_to_use_it_do(name, begins, holds):
    sentences = re.split(r"(?<=\.) (?=[A-Z$])", CARDS[name]["used"])
    sentence = next(one for one in sentences if one.startswith(begins))
    users = NAMED.findall(sentence)
    assert users
    assert [one for one in users if not holds(CONFIGS[MODELS[one]])] == []


@facts("name", CARDS.keys() - KNOWN)
def test_users_that_the_zoo_cannot_tell_are_cited(name):
    assert "{cite:t}" in CARDS[name]["used"]


@facts("name", CARDS)
def test_a_card_is_short_and_leads_to_where_it_is_shown(name):
    told = " ".join(CARDS[name][field] for field in cards_page.TOLD[1:-1])
    assert len(cards_page.INLINE.sub("formula", told).split()) <= 185
    led = [*places(PAGE, CARDS[name]["more"])]
    assert led
    assert all(anchor in parts(file) for file, anchor in led)


def test_the_cards_lead_to_each_chapter_that_teaches_a_part():
    files = {file for card in CARDS.values() for file, _ in places(PAGE, card["more"])}
    named = {ROOT / f"book/{chapter.name}.ipynb" for chapter in read_outline(ROOT)}
    whole = {
        "big_picture",
        "one_sentence",
        "one_page",
        "model_zoo",
        "ablations",
        "inside",
    }
    assert {file.stem for file in named - files} == whole


def test_the_landing_page_leads_to_the_cards():
    page = (ROOT / "book/index.md").read_text("utf-8")
    assert page.count("(appendix/fact_cards.md)") == 2
    assert "(appendix/formula_card.md)" in page


@pytest.fixture
def translated(monkeypatch):
    """Read the cards in the words of a translation that somebody has changed."""

    def read(change):
        words = {
            n: {f: c[f] for f in cards_page.TOLD} for n, c in deepcopy(CARDS).items()
        }
        change(words)
        files = {"fact_cards.toml": deepcopy(CARDS), "fact_cards_zh.toml": words}
        found = lambda _, name: files[name.rpartition("/")[2]]  # noqa: E731
        monkeypatch.setattr(cards_page, "read_toml", found)
        return cards_page.read_cards(ROOT, "zh")

    return read


def test_a_translation_has_its_own_words_and_the_same_formulas(translated):
    cards = translated(lambda words: words["loss"].update(title="损失"))
    assert cards["loss"] == CARDS["loss"] | {"title": "损失"}


@facts(
    "change, said",
    [
        (lambda words: words.pop("loss"), r"\[loss\] lacks title"),
        (lambda words: words["loss"].pop("why"), r"\[loss\] lacks why"),
        (
            lambda words: words["lora"].update(cost="$2ab$"),
            r"cost of \[lora\] has other",
        ),
        (lambda words: words.update(gru={}), r"\[gru\] is no card"),
    ],
)
def test_what_a_translation_lacks_is_named(translated, change, said):
    with pytest.raises(BookError, match=f"fact_cards_zh.toml must .*{said}"):
        translated(change)
