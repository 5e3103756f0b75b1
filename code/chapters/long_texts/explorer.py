"""Explorer: a window that one widens, and how far tokens see through some layers."""

from chapters.shared.explorer.frame import Explorer, slider, switch

TOKENS, WINDOW, LAYERS = 14, 4, 3
TOKEN = 11  # that looks at first


def show() -> Explorer:
    """Show who sees whom through a window, in one layer and through some."""
    return Explorer(
        chapter="long_texts",
        name="long_texts",
        title="who sees whom through a window, in one layer and through more",
        instruction="Drag the window: the band and the cache become wider or narrower. "
        "Then add layers: a token sees farther back, though no layer has a wider "
        "window and no key more is kept.",
        controls=[
            slider("layers", "layers", low=1, high=5, value=LAYERS),
            switch("sink", "keep the first token", on=True),
        ],
        data={"tokens": TOKENS, "window": WINDOW, "token": TOKEN},
        uses=("drag",),
    )
