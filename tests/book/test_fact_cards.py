"""The fact cards: who uses what, where they lead, and whether each is in Chinese."""

import re
from copy import deepcopy

import pytest
from where_shown import ROOT, parts, places

from bookkit.book.chinese import catalog_path, is_done, read_catalog, twins
from bookkit.book.errors import BookError
from bookkit.book.outline import read_outline
from bookkit.checking.facts import facts
from bookkit.publishing.appendix import cards as cards_page
from bookkit.writing.translations import renewed_catalog
from transformer.zoo import CONFIGS

NAME = "book/appendix/fact_cards.md"
PAGE = ROOT / NAME
# What stands at the left of a Chinese card, beside a formula.
CHINESE = ("是什么", "形状", "为什么", "代价", "谁在用", "常见错误", "出处")
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


@facts("field", [*cards_page.TOLD, "formula"])
def test_what_a_card_lacks_is_named(monkeypatch, field):
    told = deepcopy(CARDS)
    del told["loss"][field]
    monkeypatch.setattr(cards_page, "read_toml", lambda *_: told)
    with pytest.raises(BookError, match=rf"not: \[loss\] lacks {field}\.$"):
        cards_page.read_cards(ROOT)


def test_each_card_has_its_chinese_one():
    chinese = (ROOT / twins(ROOT)[NAME]).read_text("utf-8")
    catalog = read_catalog(catalog_path(ROOT, NAME))
    assert [one.id for one in catalog if one.id and not is_done(one)] == []
    for mark in ("\n## ", "\n{.fact-card}\n", *(f"\n- **{x}** " for x in CHINESE)):
        assert chinese.count(mark) == len(CARDS)


def test_a_changed_card_is_named_stale(tmp_path):
    page, catalog = tmp_path / NAME, catalog_path(tmp_path, NAME)
    for file in (page, catalog):
        file.parent.mkdir(parents=True)
    (tmp_path / "_config.yml").touch()
    why = f"- **Why** {CARDS['residual']['why']}"
    text = PAGE.read_text("utf-8")
    page.write_text(text.replace(why, f"{why} Not always."), "utf-8")
    catalog.write_bytes(catalog_path(ROOT, NAME).read_bytes())
    stale = [m.id for m in renewed_catalog(tmp_path, NAME) if m.id and not is_done(m)]
    assert stale == [f"{why} Not always."]
