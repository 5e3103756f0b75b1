"""Token embeddings: from integer ids to vectors."""

from jaxtyping import Float, Integer
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.tensors import check_tokens


@doors(forward=lambda: check_known)
class TokenEmbedding(nn.Module):
    r"""Look up one learned vector for each token.

    $$\mathbf{x}_t = s\,U_{\mathrm{id}_t}, \qquad s = \sqrt{d_{\mathrm{model}}}, \qquad
    U \in \mathbb{R}^{V \times d_{\mathrm{model}}}$$

    The table $U$ has a row for each of $V$ tokens. Without `scale` the factor is 1.

    Source: Vaswani et al. (2017), section 3.4. The paper does not say how $U$
    starts; here its entries are drawn from $\mathcal{N}(0, 1/d_{\mathrm{model}})$,
    so that scaled embeddings start with unit variance.

    Args:
        vocab_size: Number of different tokens, at least 1.
        d_model: Number of features of an embedding, at least 1.
        scale: Whether to multiply by the square root of `d_model`.
    """

    def __init__(self, vocab_size: int, d_model: int, *, scale: bool = False) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.scale = d_model**0.5 if scale else 1.0
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(
        self, tokens: Integer[Tensor, "*batch time"]
    ) -> Float[Tensor, "*batch time d_model"]:
        """Return the embedding of each token id, scaled if asked for."""
        return self.embedding(tokens.long()) * self.scale


# Checks


def check_known(embedding: nn.Module, tokens: object) -> None:
    """Check that an embedding has a row for each token."""
    check_tokens(tokens, rows_of(embedding))


def rows_of(embedding: object) -> int | None:
    """Return how many rows an embedding has; None where that is not told."""
    table = getattr(getattr(embedding, "embedding", None), "weight", None)
    return table.size(0) if isinstance(table, Tensor) else None
