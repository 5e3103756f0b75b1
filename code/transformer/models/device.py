"""What every model is asked: where it computes, to write, and to be saved."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn


class HasDevice:
    """Tell where a model is: give it inputs that are there too."""

    if TYPE_CHECKING:
        from transformer.decoding.generation import generate
    else:

        def generate(self, tokens, **way):
            """Return how a text goes on; see `transformer.generate`."""
            room = import_module("transformer.decoding")  # which stands above models
            return room.generate(self, tokens, **way)

    def save(
        self,
        folder: str | Path,
        *,
        tokenizer: object = None,
        bits: int | None = None,
    ) -> None:
        """Write the model into a folder; see `transformer.save_model`."""
        room = import_module("transformer.models.saved")  # which knows all models
        room.save_model(self, folder, tokenizer=tokenizer, bits=bits)

    @property
    def device(self) -> torch.device:
        """The device of the parameters.

        Raises:
            ValueError: If they are on several devices.
        """
        found = list(dict.fromkeys(p.device for p in self.parameters()))
        if len(found) > 1:
            raise ValueError(
                "the parameters of a model must be on one device, got "
                f"{' and '.join(map(str, found))}; move all with .to(device)."
            )
        return found[0]

    @property
    def dtype(self) -> torch.dtype:
        """The type of the parameters, of the first of them where there are several."""
        return next(self.parameters()).dtype

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> nn.Module:
        """Change all parameters; what was shared before is shared after.

        Where PyTorch has to make new ones, as it does to and from the meta device, it
        makes one for each name.
        """
        names: dict[int, list[str]] = {}
        for name, parameter in self.named_parameters(remove_duplicate=False):
            names.setdefault(id(parameter), []).append(name)
        super()._apply(fn, recurse)
        for first, *others in names.values():
            kept = self.get_parameter(first)
            for name in others:
                if self.get_parameter(name) is not kept:
                    part, _, leaf = name.rpartition(".")
                    setattr(self.get_submodule(part), leaf, kept)
        return self
