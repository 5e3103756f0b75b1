"""How often an answer follows the vector of one word, in other frames and layers.

A dozen exchanges between 56 pairs take some seconds each, so the chapter reads them
from a file that `python -m chapters.big_picture.followed_swaps` writes.
"""

from chapters.big_picture.one_prompt import follow_the_swap
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import open_model
from transformer.zoo import LanguageModel

MEASUREMENTS = Measurements("big_picture", "followed_swaps")
COUNTRIES = (
    "France",
    "Germany",
    "Japan",
    "Italy",
    "Spain",
    "Greece",
    "China",
    "England",
)
FRAMES = {"The capital of {} is": (3, 4), "In {} people speak": (1, 3)}  # and places
DEPTHS = (10, 23, 24)


def measured(smollm: LanguageModel, frame: str, depth: int) -> dict:
    """Return the share of pairs whose answer follows, for each place of a frame.

    Args:
        smollm: The model and its tokenizer.
        frame: A key of `FRAMES`.
        depth: As in `follow_the_swap`.
    """
    shares = []
    for place in FRAMES[frame]:
        swap = {"depth": depth, "place": place}
        follows, _ = follow_the_swap(*smollm, frame, COUNTRIES, **swap)
        shares.append(follows / (len(COUNTRIES) * (len(COUNTRIES) - 1)))
    return {"frame": frame, "depth": depth, "follows": shares}


if __name__ == "__main__":
    opened = open_model("smollm2-135m")
    MEASUREMENTS.write(
        [measured(opened, frame, depth) for frame in FRAMES for depth in DEPTHS]
    )
