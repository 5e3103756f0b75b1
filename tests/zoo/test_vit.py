"""ViT equals the reference, with each of its heads."""

from functools import partial
from types import SimpleNamespace

import pytest
import torch
from transformers import ViTConfig, ViTForImageClassification, ViTModel

from bookkit.checking.facts import facts
from transformer.models import ImageEncoder
from transformer.zoo import vit

# What may differ from model to model, and must not make a difference.
VARIANTS = {
    "as published": {},
    "an image that is no square": {"image_size": (6, 14)},
    "gray, of large patches": {"num_channels": 1, "patch_size": 5},
    "another activation": {"hidden_act": "gelu_new", "layer_norm_eps": 1e-3},
}


def tiny(**choices):
    sizes = {"image_size": 10, "patch_size": 2, "num_channels": 3} | choices
    return ViTConfig(
        hidden_size=20,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=28,
        **{"num_labels": 7} | sizes,
    )


def draw(config, dtype):
    height, width = (
        (config.image_size,) * 2
        if isinstance(config.image_size, int)
        else config.image_size
    )
    return torch.randn(3, config.num_channels, height, width, dtype=dtype)


def compare(ours, theirs, layout, *, pick, tolerance, parity, same_gradients):
    """Compare what comes out, and the gradients of a random mix of it."""
    images = draw(theirs.config, ours.dtype)
    found, expected = ours(images), pick(theirs(images))
    parity(ours, theirs).values(found, expected, rtol=tolerance, atol=tolerance)
    direction = torch.randn_like(found)
    for output in (found, expected):
        (output * direction).sum().backward()
    same_gradients(ours, theirs, layout, tolerance)


@facts("choices", VARIANTS.values(), ids=[*VARIANTS])
def test_logits_and_gradients_equal_the_reference(
    choices, reference, assert_same_gradients, dtype, tolerance, parity
):
    theirs = reference(ViTForImageClassification, tiny(**choices), dtype)
    ours = vit.from_hugging_face(theirs)
    layout = vit.layout(ours.config, "labels")
    compare(
        ours,
        theirs,
        layout,
        pick=lambda out: out.logits,
        tolerance=tolerance,
        parity=parity,
        same_gradients=assert_same_gradients,
    )


def test_the_pooler_and_its_gradients_equal_the_reference(
    reference, assert_same_gradients, dtype, tolerance, parity
):
    theirs = reference(ViTModel, tiny(), dtype)
    ours = vit.from_hugging_face(theirs)
    compare(
        ours,
        theirs,
        vit.layout(ours.config, "pooler"),
        pick=lambda out: out.pooler_output,
        tolerance=tolerance,
        parity=parity,
        same_gradients=assert_same_gradients,
    )


def test_without_a_head_the_hidden_states_come_out(reference, parity):
    theirs = reference(ViTModel, tiny())
    images = draw(theirs.config, torch.float32)
    expected = theirs(images).last_hidden_state
    for source in (theirs, theirs.state_dict()):
        ours = vit.from_hugging_face(source, config=theirs.config, head=None)
        parity(ours, theirs).values(ours(images), expected, rtol=1e-5, atol=1e-5)


def test_bfloat16(reference, assert_bfloat16):
    theirs = reference(ViTForImageClassification, tiny(), torch.bfloat16)
    ours = vit.from_hugging_face(theirs)
    images = draw(theirs.config, torch.bfloat16)
    given = {"ours": {"images": images}, "theirs": {"pixel_values": images}}
    everything = torch.ones(3, 7, dtype=torch.bool)
    assert_bfloat16(ours, theirs, SimpleNamespace(**given, scored=everything))


def test_the_head_follows_what_is_stored():
    lacking = ViTModel(tiny(), add_pooling_layer=False)
    kinds = [
        type(vit.from_hugging_face(model).head).__name__
        for model in (ViTForImageClassification(tiny()), ViTModel(tiny()), lacking)
    ]
    assert kinds == ["LabelHead", "Pooler", "Identity"]


# Our reading of the names in the files that were published from 2020 on.
OLDER = {
    "layers.": "encoder.layer.",
    "attention.q_proj": "attention.attention.query",
    "attention.k_proj": "attention.attention.key",
    "attention.v_proj": "attention.attention.value",
    "attention.o_proj": "attention.output.dense",
    "mlp.fc1": "intermediate.dense",
    "mlp.fc2": "output.dense",
}


def test_a_published_file_loads(reference):
    theirs, stored = reference(ViTForImageClassification, tiny()), {}
    for name, tensor in theirs.state_dict().items():
        for new, old in OLDER.items():
            name = name.replace(new, old)
        stored[name] = tensor
    assert "vit.encoder.layer.1.attention.output.dense.bias" in stored
    assert "vit.encoder.layer.1.output.dense.bias" in stored
    ours = vit.from_hugging_face(stored, config=theirs.config)
    images = draw(theirs.config, torch.float32)
    torch.testing.assert_close(ours(images), theirs(images).logits)


@facts(
    "name, count",
    [("vit-base-patch16-224", 86_567_656), ("vit-large-patch16-224", 304_326_632)],
)
def test_presets_have_the_published_number_of_parameters(name, count, count_on_meta):
    assert count_on_meta(partial(ImageEncoder, vit.CONFIGS[name])) == count


def test_a_preset_is_what_a_default_configuration_becomes():
    config = ViTConfig(num_labels=1000)
    expected = vit.CONFIGS["vit-base-patch16-224"]
    assert vit.config_from_hugging_face(config) == expected


def test_each_field_is_read():
    config = tiny(image_size=(6, 14), num_channels=1, layer_norm_eps=1e-3)
    config.hidden_dropout_prob, config.attention_probs_dropout_prob = 0.2, 0.3
    assert vit.config_from_hugging_face(config) == vit.preset(
        vocab_size=7,
        image_size=(6, 14),
        patch_size=2,
        image_channels=1,
        num_encoder_layers=2,
        d_model=20,
        d_ff=28,
        num_heads=4,
        norm_eps=1e-3,
        dropout=0.2,
        attention_dropout=0.3,
    )


def test_a_pair_of_equal_numbers_is_a_square_patch():
    assert vit.config_from_hugging_face(tiny(patch_size=(2, 2))).patch_size == 2


def refused(**choices):
    return lambda: vit.config_from_hugging_face(tiny(**choices))


BAD_INPUTS = {
    "projections without biases": (
        refused(qkv_bias=False),
        ValueError,
        "the configuration.*got qkv_bias=False instead of True",
    ),
    "another pooler": (
        refused(pooler_act="relu"),
        ValueError,
        "the configuration.*got pooler_act='relu' instead of 'tanh'",
    ),
    "a narrower pooler": (
        refused(pooler_output_size=3),
        ValueError,
        "the configuration.*got pooler_output_size=3 instead of None or 20",
    ),
    "patches that are no squares": (
        refused(patch_size=(2, 5)),
        ValueError,
        "the configuration.*the height of patch_size=2 instead of 5",
    ),
    "an unknown activation": (
        refused(hidden_act="mish"),
        ValueError,
        "the activation function.*got 'mish'",
    ),
    "another family": (
        lambda: vit.config_from_hugging_face({"model_type": "bert"}),
        ValueError,
        "config.*got 'bert'",
    ),
    "half a configuration": (
        lambda: vit.config_from_hugging_face({"model_type": "vit", "hidden_size": 8}),
        ValueError,
        "the configuration.*must say image_size, got model_type, hidden_size",
    ),
    "a head it does not have": (
        lambda: vit.from_hugging_face({}, config=tiny(), head="masks"),
        ValueError,
        "head.*got 'masks'",
    ),
    "a model without the head": (
        lambda: vit.from_hugging_face(ViTModel(tiny()), head="labels"),
        ValueError,
        r"the tensors (?s:.*)missing \(2\): classifier.weight",
    ),
    "a mask token": (
        lambda: vit.from_hugging_face(ViTModel(tiny(), use_mask_token=True)),
        ValueError,
        r"the tensors (?s:.*)surplus \(1\): embeddings.mask_token",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)


@pytest.mark.parametrize("wrapper", ["module.", "_orig_mod."])
def test_what_wrappers_add_to_names_is_taken_away(wrapper):
    theirs = ViTForImageClassification(tiny())
    stored = {f"{wrapper}{name}": x for name, x in theirs.state_dict().items()}
    ours = vit.from_hugging_face(stored, config=theirs.config)
    assert torch.equal(ours.head.projection.weight, theirs.classifier.weight)
