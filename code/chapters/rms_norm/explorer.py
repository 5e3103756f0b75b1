"""Explorer: an arrow that one drags, and where the two norms send it."""

from chapters.shared.explorer.frame import Explorer, slider

VECTOR = (2.8, 0.4)  # mean 1.6, root mean square 2


def show() -> Explorer:
    """Show a vector of two features, and what RMSNorm and LayerNorm make of it."""
    return Explorer(
        chapter="rms_norm",
        name="rms_norm",
        title="a vector of two features, and where two norms send it",
        instruction="Change the size of <em>x</em>: neither norm sees it. Change the "
        "mean, by the same number in both features: RMSNorm's arrow turns, and "
        "LayerNorm's stays. Then drag <em>x</em> over the diagonal.",
        controls=[
            slider("size", "root mean square", low=1, high=30, value=20),
            slider("mean", "mean", low=-30, high=30, value=16),
        ],
        data={"vector": VECTOR},
        uses=("drag", "beside"),
    )
