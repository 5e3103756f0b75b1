"""Every family equals its reference, and the comparison can fail."""

import pytest
import torch

from bookkit.experiments.tiny_models import (
    BOUND,
    REFERENCES,
    largest_difference,
    load_wrongly,
    tiny_reference,
)
from transformer.zoo import FAMILIES, from_hugging_face


def test_no_family_is_left_out():
    kinds = {tiny_reference(name).config.model_type for name in REFERENCES}
    assert kinds == set(FAMILIES)


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", REFERENCES)
def test_logits_drift_from_the_reference_by_less_than_the_bound(name, seed):
    theirs = tiny_reference(name, seed=seed)
    assert largest_difference(from_hugging_face(theirs), theirs, name) < BOUND


@pytest.mark.parametrize("name", REFERENCES)
def test_every_parameter_that_moves_breaks_the_bound(name):
    theirs = tiny_reference(name)
    ours = from_hugging_face(theirs)
    for label, parameter in ours.named_parameters():
        if label.endswith("key_projection.bias"):
            continue  # it adds one number to all scores of a query: softmax drops it
        before = parameter.detach().clone()
        with torch.no_grad():
            parameter += 0.05 * torch.randn_like(parameter)
        assert largest_difference(ours, theirs, name) > BOUND, label
        with torch.no_grad():
            parameter.copy_(before)
    assert largest_difference(ours, theirs, name) < BOUND


WRONG = {
    "norms of BERT first": ("BERT", {"norm_placement": "pre"}),
    "epsilon of BERT": ("BERT", {"norm_eps": 1e-5}),
    "exact GELU in GPT-2": ("GPT-2", {"activation": "gelu"}),
    "scores of T5 scaled": ("T5 1.0", {"scale_attention": True}),
    "layout of Llama": ("Llama", {"rotary_layout": "interleaved"}),
    "branches of GPT-NeoX in a row": ("GPT-NeoX", {"parallel_residual": False}),
    "embeddings of Marian as they are": ("Marian", {"scale_embeddings": False}),
}


@pytest.mark.parametrize(("name", "choices"), WRONG.values(), ids=WRONG)
def test_a_wrong_choice_loads_and_breaks_the_bound(name, choices):
    theirs = tiny_reference(name)
    assert largest_difference(load_wrongly(theirs, **choices), theirs, name) > BOUND


def test_gpt_neox_has_no_rms_norm(refuses):
    theirs = tiny_reference("GPT-NeoX")
    refuses(
        lambda: load_wrongly(theirs, norm="rms"),
        ValueError,
        r"the tensors must (?s:.*)surplus \(5\): layers.0.input_layernorm.bias",
    )
