"""Explorer: stacks that one grows, and the signal or gradient of each layer in them."""

from chapters.norm_placement.stack_depths import DEPTHS, MEASUREMENTS
from chapters.shared.explorer.frame import Explorer, choice, switch
from chapters.shared.explorer.markup import tag

MEASURES = {
    "likeness": "cosine between two tokens",
    "variance": "variance of the stream",
    "cosine": "cosine with the input",
    "gradient": "norm of the gradient",
}
ORDERS = {"post": "post-norm", "pre": "pre-norm", "none": "no norm"}
# Whether logarithms are drawn, ends of the axis, ticks and their words.
_COSINES = [False, -0.1, 1.05, [0, 0.5, 1], ["0", "½", "1"]]
_HUGE = [True, -1, 10, [0, 4, 8], ["1", "10⁴", "10⁸"]]
AXES = {
    "gradient": [True, -1, 1, [-1, 0, 1], ["0.1", "1", "10"]],
    "variance": [True, -0.2, 2, [0, 1, 2], ["1", "10", "100"]],
    "cosine": _COSINES,
    "likeness": _COSINES,
    "gradient none": _HUGE,
    "variance none": _HUGE,
}


def show() -> Explorer:
    """Show what happens at each layer, for post-norm, pre-norm and no norm."""
    buttons = (("fewer", "\N{MINUS SIGN} layers"), ("more", "+ layers"))
    return Explorer(
        chapter="norm_placement",
        name="norm_placement",
        title="signals and gradients in fresh stacks of two to 48 layers",
        instruction="Drag the top. From the tenth layer on the bars of post-norm "
        "are close to 1: all words are nearly one. In pre-norm they draw closer "
        "more slowly.",
        controls=[
            *(
                tag("button", words, type="button", data_part=part)
                for part, words in buttons
            ),
            choice("measure", "show", MEASURES, value="likeness"),
            switch("none", "without norms too"),
        ],
        data={
            "first": DEPTHS.index(24),
            "depths": DEPTHS,
            "measures": MEASURES,
            "orders": ORDERS,
            "axes": AXES,
            "found": find_numbers(),
        },
        uses=("drag", "steps"),
    )


def find_numbers() -> dict[str, dict[str, list]]:
    """Return mean, least and most at each layer, by measure and "order depth"."""
    rows = MEASUREMENTS.read()
    return {
        measure: {f"{row['placement']} {row['layers']}": row[measure] for row in rows}
        for measure in MEASURES
    }
