"""Patches: an image becomes a row of vectors, as a text is a row of words."""

from jaxtyping import Float
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import check_float_tensor
from transformer.checks.values import check_divisible


@door(lambda: check_cut)
def patchify(
    images: Float[Tensor, "batch channels height width"], patch_size: int
) -> Float[Tensor, "batch patches numbers"]:
    r"""Cut images into square patches, and write each patch as one vector.

    $$\mathbf{x}_{rC + c} = \mathrm{flatten}\big(I_{:,\; rp:(r+1)p,\; cp:(c+1)p}\big)$$

    for the patch in row $r$ and column $c$ of a grid with $C$ columns, row after row.
    Within a patch the channels come first, then its rows, then its columns, so that a
    linear map of patches has the weights of a convolution with stride $p$, flattened.

    Source: Dosovitskiy et al. (2021), section 3.1.

    Args:
        images: Images of one size.
        patch_size: Height and width $p$ of a patch; both sizes are multiples of it.

    Returns:
        One vector for each patch, shape (batch, patches, channels * p * p).

    Raises:
        ValueError: If images have no four axes, or do not fall into such patches.
    """
    p = patch_size
    grid = images.unflatten(3, (-1, p)).unflatten(2, (-1, p))
    # (batch, channels, rows, p, columns, p) -> (batch, rows, columns, channels, p, p)
    return grid.permute(0, 2, 4, 1, 3, 5).flatten(start_dim=3).flatten(1, 2)


@door(lambda: check_joined)
def unpatchify(
    patches: Float[Tensor, "batch patches numbers"],
    *,
    patch_size: int,
    columns: int,
) -> Float[Tensor, "batch channels height width"]:
    """Put patches together again: the inverse of `patchify`.

    Source: ours.

    Args:
        patches: One vector for each patch, row after row.
        patch_size: Height and width of a patch.
        columns: How many patches stand side by side.

    Returns:
        The images, shape (batch, channels, rows * patch_size, columns * patch_size).

    Raises:
        ValueError: If patches have no three axes, do not fill rows of so many columns,
            or do not hold squares of this size.
    """
    p = patch_size
    grid = patches.unflatten(2, (-1, p, p)).unflatten(1, (-1, columns))
    # (batch, rows, columns, channels, p, p) -> (batch, channels, rows, p, columns, p)
    return grid.permute(0, 3, 1, 4, 2, 5).flatten(start_dim=4).flatten(2, 3)


# Checks


def check_cut(images: object, patch_size: object) -> None:
    """Check that images fall into patches."""
    check_images(images)
    for name, size in zip(("the height", "the width"), images.shape[2:], strict=True):
        check_divisible(name, size, "patch_size", patch_size)


def check_images(images: object) -> None:
    """Check that images are a batch with channels."""
    check_float_tensor("images", images)
    if images.dim() != 4 or 0 in images.shape[1:]:
        raise ValueError(
            "images must have shape (batch, channels, height, width), got "
            f"{tuple(images.shape)}; add an axis that is missing with .unsqueeze."
        )


def check_joined(patches: object, patch_size: object, columns: object) -> None:
    """Check that patches make up images."""
    check_float_tensor("patches", patches)
    if patches.dim() != 3:
        raise ValueError(
            "patches must have shape (batch, patches, numbers), got "
            f"{tuple(patches.shape)}; add an axis that is missing with .unsqueeze."
        )
    check_divisible("the number of patches", patches.size(1), "columns", columns)
    squares = "patch_size * patch_size"
    check_divisible("the numbers", patches.size(2), squares, patch_size**2)
