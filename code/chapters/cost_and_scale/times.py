"""How long attention takes, fused and by formula, beside the feed-forward network.

The chapter reads the times from a file that `python -m chapters.cost_and_scale.times`
writes while nothing else runs, and repeats one comparison.
"""

import torch

from chapters.laboratory.measurements import Measurements, seconds_in_turn
from transformer.layers import PositionwiseFeedForward, scaled_dot_product_attention

MEASUREMENTS = Measurements("cost_and_scale", "times")
LENGTHS = (256, 512, 1024, 2048, 4096)
D_MODEL, HEADS = 256, 4  # of what is timed


def timed(length: int, *, rounds: int = 5, settle: bool = False) -> dict[str, float]:
    """Return milliseconds of attention, fused and by formula, and of the network.

    On the CPU in float32, without gradients; the best of a few rounds.

    Args:
        length: Number of positions.
        rounds: How often each is timed.
        settle: Whether to go on until none got faster in so many rounds.
    """
    shape = (1, HEADS, length, D_MODEL // HEADS)
    with torch.device("cpu"), torch.inference_mode():
        q, k, v = (torch.randn(shape, dtype=torch.float32) for _ in range(3))
        network = PositionwiseFeedForward(D_MODEL, 4 * D_MODEL).float()
        x = torch.randn(1, length, D_MODEL, dtype=torch.float32)
        calls = {
            "fused": lambda: scaled_dot_product_attention(q, k, v, need_weights=False),
            "formula": lambda: scaled_dot_product_attention(q, k, v, need_weights=True),
            "network": lambda: network(x),
        }
        seconds = seconds_in_turn(calls, rounds=rounds, settle=settle)
    return {name: 1000 * second for name, second in seconds.items()}


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.write([{"length": length, **timed(length)} for length in LENGTHS])
