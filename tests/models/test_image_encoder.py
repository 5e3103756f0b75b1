"""The encoder for images: what it reads, what it does not know, what it refuses."""

from dataclasses import replace

import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from transformer import EncoderOnlyTransformer, TransformerConfig
from transformer.blocks import ImageEmbedding
from transformer.costs import parameter_budget
from transformer.layers import patchify, unpatchify
from transformer.models import (
    ImageEncoder,
    attention_maps,
    load_model,
    save_model,
)

CONFIG = TransformerConfig.encoder_only(
    vocab_size=5,
    image_size=(6, 14),
    patch_size=2,
    image_channels=3,
    num_encoder_layers=2,
    d_model=24,
    d_ff=17,
    num_heads=3,
    position="learned",
    norm_placement="pre",
    final_norm=True,
)
PATCHES = 21  # three rows of seven
# Sums in float64, in another order.
EXACT = {"rtol": 1e-11, "atol": 1e-11}
POSITIONS = ("learned", "sinusoidal", "rotary", "relative", "alibi", "none")


def build(**choices):
    """A model in float64 with random parameters."""
    head = choices.pop("head", "labels")
    model = ImageEncoder(replace(CONFIG, **choices), head=head).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model


def draw(batch=2):
    return torch.randn(batch, 3, 6, 14, dtype=torch.float64)


@facts("position", POSITIONS)
@facts("class_token", [True, False])
def test_shapes_with_distinct_primes(position, class_token):
    choices = {"position": position, "class_token": class_token}
    model = build(**choices)
    assert model.encode(draw()).shape == (2, PATCHES + class_token, 24)
    assert model(draw()).shape == (2, 5)
    assert build(**choices, head=None)(draw()).shape == (2, PATCHES + class_token, 24)


def test_the_embedding_by_hand():
    embedding = ImageEmbedding(CONFIG).double()
    image = draw(1)
    found = embedding(image)[0]
    table, patches = embedding.positions.embedding.weight, embedding.patches
    assert_close(found[0], embedding.class_token + table[0], **EXACT)
    ninth = image[0, :, 2:4, 2:4].flatten()  # in row 1 and column 1
    assert_close(found[9], patches.weight @ ninth + patches.bias + table[9], **EXACT)


def test_the_head_reads_the_class_token_or_the_mean():
    for class_token in (True, False):
        model, images = build(class_token=class_token), draw()
        states = model.encode(images)
        read = states[:, 0] if class_token else states.mean(dim=1)
        assert_close(model(images), model.head.projection(read), **EXACT)


def shuffled(images, order):
    """The same patches, at other places."""
    return unpatchify(patchify(images, 2)[:, order], patch_size=2, columns=7)


@facts("position", POSITIONS)
@facts("class_token", [True, False])
def test_only_positions_tell_where_a_patch_was(position, class_token):
    model, images = build(position=position, class_token=class_token), draw()
    mixed = model(shuffled(images, torch.randperm(PATCHES)))
    same = torch.allclose(mixed, model(images), **EXACT)
    assert same == (position == "none")


def test_on_a_grid_a_picture_may_stand_elsewhere():
    """Moved as a whole by a row and a column, patches look at each other as before."""
    model = build(position="rotary", class_token=False, image_size=(8, 8), head=None)
    small = torch.randn(1, 3, 4, 4, dtype=torch.float64)
    pictures = torch.zeros(2, 3, 8, 8, dtype=torch.float64)
    pictures[0, :, :4, :4], pictures[1, :, 2:6, 2:6] = small, small
    with torch.no_grad(), attention_maps(model) as maps:
        model.encode(pictures)
    weights = maps["encoder.layers.0.self_attention"]
    before, after = [0, 1, 4, 5], [5, 6, 9, 10]
    ratio = [
        weights[row][:, places][:, :, places]
        for row, places in ((0, before), (1, after))
    ]
    ratio = [one / one.sum(dim=-1, keepdim=True) for one in ratio]
    assert_close(*ratio, **EXACT)


def test_each_image_is_read_by_itself():
    model, images = build(), draw(3)
    for number in range(3):
        one = model(images[number : number + 1])
        assert_close(one[0], model(images)[number], **EXACT)


def test_gradients_reach_every_parameter_and_pixel():
    model, images = build(), draw().requires_grad_()
    model(images).square().sum().backward()
    assert all(p.grad.abs().sum() > 0 for p in model.parameters())
    assert (images.grad.abs() > 0).all()


@facts("head", ["labels", "pooler", None])
def test_what_was_saved_is_loaded(head, tmp_path):
    model, images = build(head=head), draw()
    save_model(model, tmp_path)
    again = load_model(tmp_path)
    assert again.config == model.config
    assert torch.equal(again(images), model(images))


def test_one_number_is_the_side_of_a_square():
    config = replace(CONFIG, image_size=10)
    assert (config.patch_grid, CONFIG.patch_grid) == ((5, 5), (3, 7))
    assert TransformerConfig(vocab_size=3).patch_grid == (0, 0)
    assert replace(CONFIG, image_size=[6, 14]) == CONFIG


def config(**choices):
    return lambda: replace(CONFIG, **choices)


BAD_INPUTS = {
    "no images": (
        lambda: ImageEncoder(replace(CONFIG, image_size=None)),
        ValueError,
        "a model of images.*got image_size=None; set it",
    ),
    "images for a model of texts": (
        lambda: EncoderOnlyTransformer(CONFIG),
        ValueError,
        r"a model of texts.*got image_size=\(6, 14\); build an ImageEncoder",
    ),
    "another head": (
        lambda: ImageEncoder(CONFIG, head="label"),
        ValueError,
        "head.*got 'label'",
    ),
    "a pooler without a class token": (
        lambda: ImageEncoder(replace(CONFIG, class_token=False), head="pooler"),
        ValueError,
        "a pooler.*got class_token=False",
    ),
    "images of another size": (
        lambda: build()(torch.zeros(2, 3, 14, 6, dtype=torch.float64)),
        ValueError,
        r"images.*\(batch, 3, 6, 14\), got \(2, 3, 14, 6\); resize",
    ),
    "gray images": (
        lambda: build()(draw()[:, :1]),
        ValueError,
        r"images.*got \(2, 1, 6, 14\)",
    ),
    "pixels that are whole numbers": (
        lambda: build()(draw().to(torch.uint8)),
        TypeError,
        "images must hold floating-point.*got torch.uint8",
    ),
    "a height with a rest": (
        config(image_size=(7, 14)),
        ValueError,
        "patch_size must divide the height, got the height=7",
    ),
    "a width with a rest": (
        config(image_size=(6, 13)),
        ValueError,
        "patch_size must divide the width, got the width=13",
    ),
    "three sizes": (
        config(image_size=(6, 14, 3)),
        ValueError,
        "image_size.*height and width, got 3 numbers",
    ),
    "a size that is no number": (
        config(image_size="14"),
        TypeError,
        "image_size.*got '14'",
    ),
    "no height": (
        config(image_size=(0, 14)),
        ValueError,
        "the height of image_size.*at least 1.*got 0",
    ),
    "a decoder": (
        config(num_decoder_layers=1),
        ValueError,
        "image_size=.*must come with 0 for num_decoder_layers, got 1",
    ),
    "segments": (
        config(num_segments=2),
        ValueError,
        "image_size=.*must come with 0 for num_segments, got 2",
    ),
    "heads that rows and columns cannot share": (
        config(position="rotary", d_head=6),
        ValueError,
        "rows and columns.*got d_head=6",
    ),
    "a part of a head": (
        config(position="rotary", rotary_fraction=0.5),
        ValueError,
        "rows and columns.*rotary_fraction=0.5",
    ),
    "costs": (
        lambda: parameter_budget(CONFIG),
        ValueError,
        "costs.*models of texts, got image_size=.*count_parameters",
    ),
}


@facts("case", BAD_INPUTS.values(), ids=[*BAD_INPUTS])
def test_bad_input_is_refused_with_what_to_do(case, refuses):
    refuses(*case)
