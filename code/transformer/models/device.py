"""Where a model computes, and with which type: those of its parameters."""

import torch

from transformer.models.elsewhere import made_elsewhere, missing_attribute


class HasDevice:
    """Tell where a model is: give it inputs that are there too."""

    from_pretrained = made_elsewhere()
    load = made_elsewhere()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__getattr__ = missing_attribute  # that of PyTorch would come first

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
