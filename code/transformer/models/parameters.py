"""The parameters of a model: how they start, and how many there are."""

from math import sqrt

from torch import nn

from transformer.checks.values import check_kind
from transformer.config import TransformerConfig
from transformer.layers.feed_forward import GatedFeedForward, PositionwiseFeedForward
from transformer.layers.multi_head_attention import MultiHeadAttention
from transformer.layers.relative import RelativePositionBias


def keep_initialization(model: nn.Module, config: TransformerConfig) -> None:
    """Leave each leaf as it starts by itself.

    Source: Glorot and Bengio (2010), equation (16), for the matrices, zero for the
    biases. Vaswani et al. (2017) do not say how their parameters start; this is what
    `torch.nn.Transformer` and common translations of the paper do.
    """


def initialize_normal(model: nn.Module, config: TransformerConfig) -> None:
    r"""Draw all matrices and embeddings from one normal distribution.

    $$W_{ij} \sim \mathcal{N}(0, \sigma^2), \qquad b = 0$$

    with $\sigma$ = `init_std`.

    Source: Radford et al. (2018), section 4.1, with $\sigma = 0.02$; Devlin et al.
    (2019), released code, cut the tails off beyond $2\sigma$.
    """
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=config.init_std)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)


def initialize_depth_scaled(model: nn.Module, config: TransformerConfig) -> None:
    r"""Start as `initialize_normal`, but with smaller steps onto the residual stream.

    $$\sigma_{\mathrm{out}} = \frac{\sigma}{\sqrt{N}}$$

    for the matrices that write to the residual stream, where $N$ counts its residual
    branches, two in each layer, three with cross-attention.

    Source: Radford et al. (2019), section 2.3; their released training code counts
    as here.
    """
    initialize_normal(model, config)
    kinds = (MultiHeadAttention, PositionwiseFeedForward, GatedFeedForward)
    branches = [module for module in model.modules() if isinstance(module, kinds)]
    for branch in branches:
        is_attention = isinstance(branch, MultiHeadAttention)
        out = branch.output_projection if is_attention else branch.down_projection
        nn.init.normal_(out.weight, std=config.init_std / sqrt(len(branches)))


def initialize_t5(model: nn.Module, config: TransformerConfig) -> None:
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
            nn.init.normal_(module.embedding.weight, std=config.d_model**-0.5)
        elif isinstance(module, MultiHeadAttention):
            std = (config.d_model * config.head_size) ** -0.5
            nn.init.normal_(module.query_projection.weight, std=std)


INITIALIZATIONS = {
    "glorot": keep_initialization,
    "normal": initialize_normal,
    "depth_scaled": initialize_depth_scaled,
    "t5": initialize_t5,
}


def initialize(model: nn.Module, config: TransformerConfig) -> None:
    """Draw the parameters of a model as its configuration says.

    Args:
        model: What to initialize, in place.
        config: Names the initialization; see `INITIALIZATIONS`.

    Raises:
        TypeError: If an argument has the wrong type.
    """
    check_kind("model", model, nn.Module)
    check_kind("config", config, TransformerConfig)
    INITIALIZATIONS[config.initialization](model, config)


def count_parameters(model: nn.Module) -> int:
    """Return the number of parameters of a model, shared ones counted once.

    Args:
        model: Any module; it may be on the meta device, where it takes no memory.

    Raises:
        TypeError: If `model` is no module.
    """
    check_kind("model", model, nn.Module)
    return sum(parameter.numel() for parameter in model.parameters())
