"""The same weights on both sides: our tensors under the names of PyTorch."""

import torch
from torch import Tensor, nn

NAMES = {
    "self_attention.": "self_attn.",
    "cross_attention.": "multihead_attn.",
    "output_projection": "out_proj",
    "feed_forward.up_projection": "linear1",
    "feed_forward.down_projection": "linear2",
    "self_attention_residual.norm": "norm1",
    "cross_attention_residual.norm": "norm2",
}


def perturb(module: nn.Module) -> None:
    """Move each parameter: gains of one and biases of zero could hide a difference."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter += 0.02 * torch.randn_like(parameter)


def as_pytorch(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Return the tensors of attention, layers or stacks as `torch.nn` names them."""
    renamed = {}
    for name, tensor in tensors.items():
        if "key_projection" in name or "value_projection" in name:
            continue  # they are part of the projection that starts with the query
        if "query_projection" in name:
            parts = [name.replace("query", part) for part in ("query", "key", "value")]
            tensor = torch.cat([tensors[part] for part in parts])
            name = name.replace("query_projection.", "in_proj_")
        layer, last, kind = name.partition("feed_forward_residual.norm")
        if last:  # the norms of a layer are numbered
            crossed = f"{layer}cross_attention_residual.norm{kind}" in tensors
            name = f"{layer}norm{3 if crossed else 2}{kind}"
        for ours, theirs in NAMES.items():
            name = name.replace(ours, theirs)
        renamed[name] = tensor
    return renamed
