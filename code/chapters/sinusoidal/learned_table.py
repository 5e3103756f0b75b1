"""The positions that a published model has learned, and the waves in them."""

import torch
from jaxtyping import Float
from torch import Tensor

from chapters.laboratory.missing import unless_missing
from chapters.laboratory.published import minilm_tensors

POSITIONS = "embeddings.position_embeddings.weight"


def learned_positions() -> Float[Tensor, "positions d_model"] | None:
    """Return the position table of MiniLM in float64, on the default device.

    A reader who can neither find nor fetch its file goes on without it: a sentence
    says what is missing, and None comes back.
    """
    tensors = unless_missing(minilm_tensors, ImportError, OSError)
    if tensors is None:
        return None
    return tensors[POSITIONS].to(torch.get_default_device()).double()


def shares_of_waves(
    table: Float[Tensor, "positions d_model"],
) -> tuple[Float[Tensor, " waves"], Float[Tensor, " waves"]]:
    r"""Take the columns of a table apart into waves.

    $$s_j = \frac{\sum_f |\hat P_{j,f}|^2}{\sum_{j,f} |\hat P_{j,f}|^2}$$

    Here $\hat P$ is the discrete Fourier transform of the columns without their means.

    Source: ours.

    Args:
        table: A vector for each of $n$ positions.

    Returns:
        Wavelengths $n/j$ in positions, for j = 1 to n/2, and the share of each.
    """
    waves = torch.fft.rfft(table - table.mean(dim=0), dim=0)[1:]
    strength = waves.abs().square().sum(dim=-1)
    wavelengths = len(table) / torch.arange(1, len(strength) + 1)
    return wavelengths, strength / strength.sum()
