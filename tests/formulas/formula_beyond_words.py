"""Bindings for the chapter on images."""

import torch
from formula_bindings import Draw, binds

from bookkit.checking.formulas import Binding, Family
from chapters.beyond_words.pairs import contrastive_loss
from transformer import TransformerConfig
from transformer.blocks import ImageEmbedding
from transformer.layers import RotaryEmbedding, patchify

PAIRS, PATCHES, D_HALF = 4, 6, 4


@binds("eq-seeing-embedding")
def patches_become_vectors(draw: Draw) -> Binding:
    config = TransformerConfig.encoder_only(
        vocab_size=3,
        image_size=(4, 6),
        patch_size=2,
        image_channels=1,
        d_model=5,
        num_heads=1,
        position="learned",
    )
    embedding, image = draw.module(ImageEmbedding(config)), draw(1, 1, 4, 6)
    patches = torch.cat((torch.zeros(1, 4).double(), patchify(image, 2)[0]))
    names = {"x": embedding(image)[0], "p": patches, "b": embedding.patches.bias}
    names |= {"E": embedding.patches.weight.T, "c": embedding.class_token}
    names |= {"P": embedding.positions.embedding.weight}
    return Binding(names, {"t": range(1, PATCHES + 1)}, first=0)


@binds("eq-seeing-grid")
def rows_and_columns_between(draw: Draw) -> Binding:
    rotary = RotaryEmbedding(D_HALF)

    def turn(place: int):
        eye = torch.eye(D_HALF, dtype=torch.float64)
        return rotary(eye, torch.full((D_HALF,), place)).T.numpy()

    vectors = {"q": draw(2, D_HALF, 1), "k": draw(2, D_HALF, 1)}
    places = {name: range(3) for name in ("r", "c", "s", "d")}
    return Binding(vectors | {"R": Family(turn)}, places)


@binds("eq-seeing-pairs")
def two_softmaxes(draw: Draw) -> Binding:
    scores = draw(PAIRS, PAIRS)
    names = {"S": scores, "L": contrastive_loss(scores), "n": PAIRS}
    return Binding(names, {"j": range(1, PAIRS + 1)})
