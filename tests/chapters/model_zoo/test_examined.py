"""What wrong loads show is in a file, and the model of today shows it again."""

import pytest
import torch

from chapters.model_zoo import examined
from chapters.model_zoo.examined import faults, models, of_faults, of_models
from chapters.model_zoo.wrong_loads import FAULTS, HEAD, MODELS, examine
from transformer.models import DecoderOnlyTransformer
from transformer.zoo.llama import preset

CONFIG = preset(
    vocab_size=29,
    max_len=200,
    num_decoder_layers=3,
    d_model=24,
    d_ff=20,
    num_heads=4,
    num_kv_heads=2,
    tie_embeddings=True,
    rotary_layout="interleaved",
)


class Letters:
    """A tokenizer of 29 signs."""

    def encode(self, text):
        return [ord(sign) % 29 for sign in text]

    def decode(self, ids):
        return " ".join(map(str, ids))


@pytest.fixture(scope="module")
def given():
    torch.manual_seed(0)
    stored = DecoderOnlyTransformer(CONFIG).state_dict()
    tensors = {
        name: x + 0.3 * torch.randn(x.shape)
        for name, x in stored.items()
        if name != HEAD
    }
    return CONFIG, tensors, Letters()


def test_a_fault_is_told_beside_the_right_load(given):
    none, other = of_faults(["no mistake", "LayerNorm"], *given)
    assert (none["missing"], none["off"]) == (0, 0)
    assert (other["missing"], other["surplus"]) == (2 * 3 + 1, 0)
    assert other["off"] > 0
    right = examine(FAULTS["no mistake"], *given, text=examined.FACTS)
    assert none["loss"] == pytest.approx(right.loss)
    assert len(none["writes"].split()) == examined.LENGTH


def test_a_model_of_the_exercise_is_told_beside_the_right_load(given):
    base, head = of_models("AB", *given)
    assert base["off"] == pytest.approx(0, abs=1e-5)
    assert head["off"] > 0
    assert head["layer"] is None
    found = examine(MODELS["B"], *given, text=examined.STORY)
    assert head["loss"] == pytest.approx(found.loss)


def test_the_file_holds_each_mistake_with_its_fields(given):
    assert [row["fault"] for row in faults()] == [*FAULTS]
    assert [row["model"] for row in models()] == [*MODELS]
    for rows, (found,) in (
        (faults(), of_faults(["no mistake"], *given)),
        (models(), of_models("A", *given)),
    ):
        assert all(set(row) == set(found) for row in rows)


def as_stored(found, row):
    numbers = {name for name, x in row.items() if isinstance(x, float)}
    for name in numbers:
        assert found.pop(name) == pytest.approx(row[name], abs=0.01)
    assert found == {name: x for name, x in row.items() if name not in numbers}


def test_stored_loads_are_those_of_the_model():
    told = examined.what_is_right()
    (found,) = of_faults(["halves paired"], *told)
    as_stored(found, next(x for x in faults() if x["fault"] == "halves paired"))
    (found,) = of_models("E", *told)
    as_stored(found, next(x for x in models() if x["model"] == "E"))
