"""Explorer: a number that one drags along four activations, and their sharpness."""

from chapters.shared.explorer.frame import Explorer, choice, slider

NAMES = {"relu": "ReLU", "gelu": "GELU", "silu": "SiLU", "squared_relu": "squared ReLU"}
SHARPNESS = (0.25, 0.5, 1, 1.5, 2, 3, 5, 10)  # what x is multiplied by in the gate


def show() -> Explorer:
    """Show the gates of four activations, what they pass, and a tangent at a number."""
    return Explorer(
        chapter="activations",
        name="activations",
        title="a number on its way through four activations",
        instruction="Drag <em>x</em> to the left, past the lowest point of the curve: "
        "the slope turns negative. ReLU's has been 0 since x = 0. Then make the gate "
        "sharper, and the curve becomes ReLU.",
        controls=[
            choice("bend", "activation", NAMES, value="silu"),
            slider(
                "sharp",
                "sharpness β",
                low=0,
                high=len(SHARPNESS) - 1,
                value=SHARPNESS.index(1),
            ),
        ],
        data={"names": NAMES, "sharpness": SHARPNESS},
        uses=("drag", "beside"),
    )
