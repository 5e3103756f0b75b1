"""Where a model computes: on the device of its parameters."""

import torch


class HasDevice:
    """Tell where a model is: give it inputs that are there too."""

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
