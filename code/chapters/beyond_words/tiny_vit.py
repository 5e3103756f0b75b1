"""A tiny random ViT of Hugging Face, to be compared with ours."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.tiny_models import hugging_face


def tiny_vit() -> nn.Module:
    """Return a random model in float64, each parameter away from where it starts.

    Raises:
        ImportError: If `transformers` is missing; the message says what to install.
    """
    kind, config_of = hugging_face("ViTForImageClassification", "ViTConfig")
    config = config_of(
        image_size=10,
        patch_size=2,
        hidden_size=20,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=28,
        num_labels=7,
    )
    with same_numbers(0):
        model = kind(config).double()
        for parameter in model.parameters():
            parameter.data += 0.1 * torch.randn(parameter.shape)
    return model.to(torch.get_default_device()).eval()


@torch.no_grad()
def logits_of(
    model: nn.Module, images: Float[Tensor, "batch 3 height width"]
) -> Float[Tensor, "batch labels"]:
    """Return the scores that a model of Hugging Face gives the labels."""
    return model(images).logits
