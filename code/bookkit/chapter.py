"""How every chapter starts: one style, float64, and the GPU where there is one."""

import torch
from jaxtyping import Float
from torch import Tensor

from bookkit.style import use_book_style


def start_chapter() -> None:
    """Set the figure style, float64 with four decimals, one thread, and the device.

    The models of the chapters are small: one thread is as fast as two for them, gives
    the same digits everywhere, and does not stall on a busy machine.

    On a machine with a CUDA device every new tensor lives there, so that the same
    notebook checks the GPU. Random numbers still come from the CPU (`gaussian`), so
    that they are the same everywhere.
    """
    use_book_style()
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(1)
    torch.set_printoptions(precision=4, sci_mode=False, linewidth=88)
    if torch.cuda.is_available():
        torch.set_default_device("cuda")
    torch.manual_seed(0)


def gaussian(*shape: int, seed: int) -> Float[Tensor, "..."]:
    """Draw standard normal numbers, the same on every device.

    Args:
        *shape: Shape of the tensor.
        seed: Which numbers; the same seed and shape give the same numbers.

    Returns:
        A float64 tensor on the default device.
    """
    generator = torch.Generator("cpu").manual_seed(seed)
    numbers = torch.randn(shape, generator=generator, dtype=torch.float64, device="cpu")
    return numbers.to(torch.get_default_device())
