"""What PyTorch holds at each moment of two training steps of SmolLM2, by kind.

The chapter reads the bytes from a file that `python -m chapters.cost_and_scale.moments`
writes; the command needs 5 GB of memory and a minute.
"""

from functools import partial

import torch
import torch.nn.functional as F
from torch.distributed._tools.mem_tracker import MemTracker

from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer
from transformer.training import adam

MEASUREMENTS = Measurements("cost_and_scale", "moments")
LENGTH = 1024  # tokens of the one text
KINDS = {  # as the picture calls what PyTorch's tracker tells apart
    "Parameter": "weights",
    "Gradient": "gradients",
    "Optstate": "optimizer",
}
KEPT = "activations"  # with the logits, and what is there for a moment


class Tracker(MemTracker):
    """A tracker that remembers the fullest moment, within a layer or the loss too."""

    def start(self) -> None:
        """Forget what was."""
        self.fullest = self.now()

    def now(self) -> dict:
        """Return what is held, by kind."""
        return self.get_tracker_snapshot("current")[torch.device("cpu")]

    def __torch_dispatch__(
        self, func: object, types: object, args: tuple = (), kwargs: dict | None = None
    ) -> object:
        result = super().__torch_dispatch__(func, types, args, kwargs)
        self.fullest = max(self.fullest, self.now(), key=lambda held: held["Total"])
        return result


def by_kind(snapshot: dict) -> dict[str, int]:
    """Return the bytes of a snapshot of the tracker, by the names of the picture."""
    found = dict.fromkeys((*KINDS.values(), KEPT), 0)
    for kind, held in snapshot.items():
        name = kind if isinstance(kind, str) else kind.value
        if name != "Total":
            found[KINDS.get(name, KEPT)] += held
    return found


def measured(config: TransformerConfig, length: int, *, steps: int = 2) -> list[dict]:
    """Return what is held after each layer, forth and back, and after each deed.

    At the loss it is the most that is held while it and its gradient are computed. On
    the CPU in float32, with one text and Adam. The moments of Adam come with its first
    step, and the gradients go after each step.

    Args:
        config: Of a decoder-only model.
        length: Tokens of the text.
        steps: Training steps.
    """
    rows: list[dict] = []
    with same_numbers(0), torch.device("cpu"):
        model = DecoderOnlyTransformer(config).float()
        tokens = torch.zeros(1, length, dtype=torch.long)
    optimizer = adam(model, learning_rate=1e-3)
    tracker = Tracker()
    tracker.track_external(model, optimizer)
    tracker.start()

    def note(moment: str, *_: object) -> None:
        rows.append({"moment": moment, **by_kind(tracker.now())})

    def note_loss(*_: object) -> None:
        rows.append({"moment": "loss", **by_kind(tracker.fullest)})

    model.decoder.layers[-1].register_full_backward_pre_hook(note_loss)
    for layer in model.decoder.layers:
        layer.register_forward_hook(partial(note, "forward"))
        layer.register_full_backward_hook(partial(note, "backward"))
    with tracker:
        for _ in range(steps):
            tracker.start()
            note("start")
            loss = F.cross_entropy(model(tokens).flatten(0, 1), tokens.flatten())
            loss.backward()
            note("gradients")
            optimizer.step()
            note("step")
            optimizer.zero_grad()
            note("cleared")
            tracker.reset_mod_stats()
    return rows


if __name__ == "__main__":
    from transformer.zoo import CONFIGS

    torch.set_num_threads(1)
    MEASUREMENTS.write(measured(CONFIGS["smollm2-135m"], LENGTH), length=LENGTH)
