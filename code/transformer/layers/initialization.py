"""Initializations: how the parameters of all layers of a model start.

Each takes the width of the model and a standard deviation, and uses what it needs.
"""

from collections.abc import Callable
from math import sqrt

from torch import nn

from transformer.layers.feed_forward import GatedFeedForward, PositionwiseFeedForward
from transformer.layers.mixture_of_experts import MixtureOfExperts
from transformer.layers.multi_head_attention import MultiHeadAttention
from transformer.layers.recurrent_mixer import RecurrentMixer
from transformer.layers.relative import RelativePositionBias


def keep_initialization(model: nn.Module, *, d_model: int, std: float) -> None:
    """Leave each leaf as it starts by itself.

    Source: Glorot and Bengio (2010), equation (16), for the matrices, zero for the
    biases. Vaswani et al. (2017) do not say how their parameters start; this is what
    common translations of the paper do. `torch.nn.Transformer` does so too, but there
    queries, keys and values start as one matrix, smaller by the root of 2.
    """


def initialize_normal(model: nn.Module, *, d_model: int, std: float) -> None:
    r"""Draw all matrices and embeddings from one normal distribution.

    $$W_{ij} \sim \mathcal{N}(0, \sigma^2), \qquad b = 0$$

    with $\sigma$ = `std`.

    Source: Radford et al. (2018), section 4.1, with $\sigma = 0.02$; Devlin et al.
    (2019), released code, cut the tails off beyond $2\sigma$.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


def initialize_depth_scaled(model: nn.Module, *, d_model: int, std: float) -> None:
    r"""Start as `initialize_normal`, but with smaller steps onto the residual stream.

    $$\sigma_{\mathrm{out}} = \frac{\sigma}{\sqrt{N}}$$

    for the matrices that write to the residual stream, where $N$ counts the residual
    branches of the model, two in each layer, three with cross-attention, in an encoder
    and a decoder together. A mixture of experts is one branch.

    Source: Radford et al. (2019), section 2.3; their released training code counts
    as here.
    """
    initialize_normal(model, d_model=d_model, std=std)
    mixers = (MultiHeadAttention, RecurrentMixer)
    networks = (PositionwiseFeedForward, GatedFeedForward)
    parts = list(model.modules())
    writing = [part for part in parts if isinstance(part, (*mixers, *networks))]
    mixtures = [part for part in parts if isinstance(part, MixtureOfExperts)]
    inside = {part for mixture in mixtures for part in mixture.modules()}
    branches = len(mixtures) + sum(part not in inside for part in writing)
    for part in writing:
        mixes = isinstance(part, mixers)
        out = part.output_projection if mixes else part.down_projection
        nn.init.normal_(out.weight, std=std / sqrt(branches))


def initialize_t5(model: nn.Module, *, d_model: int, std: float) -> None:
    r"""Draw each matrix so that unscaled attention starts with small scores.

    $$\sigma = 1/\sqrt{\text{features that the matrix reads}}$$

    but $1/\sqrt{d_{\mathrm{model}}\, d_{\mathrm{head}}}$ for the queries, which takes
    the place of the factor $1/\sqrt{d_{\mathrm{head}}}$ on the scores, and 1 for the
    embeddings.

    Source: Shazeer and Stern (2018) for the factor within the parameters; the
    released code of Raffel et al. (2020) for the values.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=module.in_features**-0.5)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
    for module in model.modules():  # after the head, which may share its matrix
        if isinstance(module, nn.Embedding):
            nn.init.normal_(module.weight, std=1.0)
    for module in model.modules():
        if isinstance(module, RelativePositionBias):
            nn.init.normal_(module.embedding.weight, std=d_model**-0.5)
        elif isinstance(module, MultiHeadAttention):
            queries = module.query_projection
            queries = getattr(queries, "linear", queries)  # with a norm behind it
            d_head = queries.out_features // module.num_heads
            nn.init.normal_(queries.weight, std=(d_model * d_head) ** -0.5)


INITIALIZATIONS: dict[str, Callable[..., None]] = {
    "glorot": keep_initialization,
    "normal": initialize_normal,
    "depth_scaled": initialize_depth_scaled,
    "t5": initialize_t5,
}
