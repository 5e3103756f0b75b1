"""The block of 2017 and that of Llama, line beside line."""

from types import SimpleNamespace

from torch.nn import Module
from torch.nn.functional import relu, silu

from chapters.model_zoo.block_parts import attend, layer_norm, rms_norm, split, turn

SHORT = {
    "self_attention.query_projection.weight": "q",
    "self_attention.key_projection.weight": "k",
    "self_attention.value_projection.weight": "v",
    "self_attention.output_projection.weight": "o",
    "self_attention_residual.norm.weight": "gain_1",
    "self_attention_residual.norm.bias": "shift_1",
    "feed_forward.gate_projection.weight": "gate",
    "feed_forward.up_projection.weight": "up",
    "feed_forward.up_projection.bias": "b_up",
    "feed_forward.down_projection.weight": "down",
    "feed_forward.down_projection.bias": "b_down",
    "feed_forward_residual.norm.weight": "gain_2",
    "feed_forward_residual.norm.bias": "shift_2",
}


def weights_of(layer: Module) -> SimpleNamespace:
    """Copy the weights of a decoder layer of the package, matrices as (in, out)."""
    copies = {name: x.detach().clone() for name, x in layer.named_parameters()}
    return SimpleNamespace(
        **{SHORT[name]: x.T if x.ndim == 2 else x for name, x in copies.items()}
    )


def block_of_2017(x, w, heads):
    """Attend, then work on each token, and norm each sum."""
    q = split(x @ w.q, heads)
    k = split(x @ w.k, heads)
    v = split(x @ w.v, heads)
    x = x + attend(q, k, v) @ w.o
    x = layer_norm(x, w.gain_1, w.shift_1)
    y = relu(x @ w.up + w.b_up)
    x = x + y @ w.down + w.b_down
    return layer_norm(x, w.gain_2, w.shift_2)


def block_of_llama(x, w, heads, kv_heads):
    """Attend, then work on each token, and leave the sums alone."""
    z = rms_norm(x, w.gain_1)  # norm first; RMSNorm
    q = turn(split(z @ w.q, heads))  # rotary
    k = turn(split(z @ w.k, kv_heads))  # rotary; shared
    v = split(z @ w.v, kv_heads)  # shared key-value heads
    x = x + attend(q, k, v) @ w.o
    z = rms_norm(x, w.gain_2)  # norm first; RMSNorm
    y = silu(z @ w.gate) * (z @ w.up)  # SiLU, gated; no bias
    return x + y @ w.down  # no bias, no norm after
