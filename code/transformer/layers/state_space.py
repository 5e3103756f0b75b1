"""State spaces: the duality of a recurrence and a masked attention, and Mamba-2."""

from functools import partial
from math import log

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.checks.doors import door, doors
from transformer.checks.tensors import can_read
from transformer.checks.values import (
    check_choice,
    check_divisible,
    check_positive,
    check_size,
)
from transformer.layers.attention import share_heads, split_heads
from transformer.layers.linear_attention import (
    LinearOutput,
    check_heads,
    check_shapes,
    chunked_linear_attention,
    masked_linear_attention,
    recurrent_linear_attention,
)
from transformer.layers.multi_head_attention import check_widths
from transformer.layers.projections import start_projections
from transformer.layers.recurrent_mixer import (
    RecurrentMixer,
    State,
    full_precision,
    widened,
)

FORMS = {
    "recurrent": recurrent_linear_attention,
    "masked": masked_linear_attention,
    "chunked": chunked_linear_attention,
}


@door(lambda: check_state_space)
def state_space(
    x: Float[Tensor, "batch heads time d_head"],
    step: Float[Tensor, "batch heads time"],
    decay_rate: Float[Tensor, " heads"],
    write: Float[Tensor, "batch heads time d_state"],
    read: Float[Tensor, "batch heads time d_state"],
    *,
    form: str = "chunked",
    chunk_size: int = 64,
    state: Float[Tensor, "batch heads d_state d_head"] | None = None,
) -> LinearOutput:
    r"""Let a state decay at its own rate, and write into it, by steps of time.

    $$H_t = e^{-\lambda \Delta_t} H_{t-1} + \Delta_t\, \mathbf{b}_t \mathbf{x}_t^\top,
    \qquad \mathbf{y}_t = H_t^\top \mathbf{c}_t$$

    Unrolled it is attention whose mask is the decay in between, the dual form

    $$Y = (C B^\top \odot L)\, \mathrm{diag}(\Delta)\, X, \qquad
    L_{ts} = e^{-\lambda (\Delta_{s+1} + \dots + \Delta_t)} \quad (s \le t)$$

    So $C$ are queries, $B$ keys and $\Delta X$ values of `masked_linear_attention`, and
    any block of the matrix that does not reach above the diagonal has at most the rank
    of the state.

    Source: Dao and Gu (2024), sections 3.1, 5 and 6, with the discretization of their
    released code, $\bar A = e^{\Delta A}$ and $\bar B = \Delta B$.

    Args:
        x: What to write.
        step: How much time passes, $\Delta_t$, at least 0.
        decay_rate: The rate $\lambda = -A$ of each head, above 0.
        write: The vectors $\mathbf{b}_t$.
        read: The vectors $\mathbf{c}_t$.
        form: `"recurrent"`, `"masked"` or `"chunked"`, which give the same.
        chunk_size: Number of positions in a chunk.
        state: The state $H_0$; zero when not given.

    Raises:
        ValueError: If shapes do not fit, a step is below 0 or a rate not above it.
    """
    compute = FORMS[form]
    if form == "chunked":
        compute = partial(compute, chunk_size=chunk_size)
    log_decay = -decay_rate[:, None] * step
    value = step.unsqueeze(-1) * x
    return compute(read, write, value, log_decay=log_decay, state=state)


@doors(init=lambda: check_mamba2)
class Mamba2Mixer(RecurrentMixer):
    r"""Mix positions by a short convolution and a state space, as Mamba-2 does.

    $$(Z, \tilde X, \tilde \Delta) = U W^{\mathrm{in}}, \qquad
    (X, B, C) = \mathrm{SiLU}(\mathrm{Conv}(\tilde X)), \qquad
    \Delta = \mathrm{softplus}(\tilde \Delta + \mathbf{b}_\Delta)$$

    $$Y = \mathrm{RMSNorm}\big((\mathrm{StateSpace}(X, \Delta, \lambda, B, C) + D X)
    \odot \mathrm{SiLU}(Z)\big)\, W^{\mathrm{out}}$$

    The convolution is causal and has a kernel for each feature. Groups of heads share
    their $B$ and $C$; the norm is taken in each group. The state holds the last inputs
    of the convolution beside that of the heads. Padding is taken out before, and put
    back after: neither the convolution nor the state meets it, and it gets zeros.

    Source: Dao and Gu (2024), sections 7.1 and 7.2 and Figure 6; the rates start
    uniform in $[1, 16]$ and the steps log-uniform in $[0.001, 0.1]$ as in their
    released code, the projections as in `MultiHeadAttention`.

    Args:
        d_model: Number of features of the input and the output.
        num_heads: Number of heads.
        d_head: Number of features of a head; `d_model / num_heads` when not given,
            twice as many in the paper.
        d_state: Number of features of $B$ and $C$.
        num_groups: Number of groups of heads; divides `num_heads`.
        kernel_size: Number of positions that the convolution mixes, at least 2.
        bias: Whether the two projections have biases.
        chunk_size: Number of positions that are read at once.
        eps: Inside the root of the norm.

    Shape:
        query, key, value: (batch, time, d_model), one tensor, as for `RecurrentMixer`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        d_head: int | None = None,
        d_state: int = 128,
        num_groups: int = 1,
        kernel_size: int = 4,
        bias: bool = False,
        chunk_size: int = 64,
        eps: float = 1e-5,
    ) -> None:
        super().__init__()
        d_head = d_model // num_heads if d_head is None else d_head
        inner, shared = num_heads * d_head, num_groups * d_state
        self.num_heads, self.num_groups = num_heads, num_groups
        self.chunk_size, self.eps = chunk_size, eps
        self.widths = (inner, inner + 2 * shared, num_heads)  # gate, convolved, steps
        self.convolved = (inner, shared, shared)  # what is written, where, what reads
        mixed = self.widths[1]
        self.input_projection = nn.Linear(d_model, sum(self.widths), bias=bias)
        self.convolution = nn.Conv1d(mixed, mixed, kernel_size, groups=mixed)
        self.log_decay_rate = nn.Parameter(torch.empty(num_heads))
        self.step_bias = nn.Parameter(torch.empty(num_heads))
        self.skip = nn.Parameter(torch.ones(num_heads))
        self.norm_weight = nn.Parameter(torch.ones(inner))
        self.output_projection = nn.Linear(inner, d_model, bias=bias)
        self.state_shapes = ((kernel_size - 1, mixed), (num_heads, d_state, d_head))
        start_projections(self.input_projection, self.output_projection)
        self._start_time()

    @torch.no_grad()
    def _start_time(self) -> None:
        """Draw the rates and, through the inverse of softplus, the steps."""
        nn.init.uniform_(self.log_decay_rate, 1.0, 16.0)
        self.log_decay_rate.log_()
        nn.init.uniform_(self.step_bias, log(0.001), log(0.1))
        steps = self.step_bias.exp()
        self.step_bias.copy_(steps + torch.log(-torch.expm1(-steps)))

    def mix(
        self,
        x: Float[Tensor, "batch time d_model"],
        real: Bool[Tensor, "batch time"] | None,
        state: State | None,
    ) -> tuple[Float[Tensor, "batch time d_model"], State]:
        """Return what becomes of `x` after a state, and the state after it."""
        tail, memory = (None, None) if state is None else state
        back = None
        if real is not None:  # padding goes behind what is real, and comes back at last
            order = real.logical_not().byte().argsort(dim=1, stable=True)
            x, real = x.take_along_dim(order[..., None], dim=1), real.gather(1, order)
            back = order.argsort(dim=1)[..., None]  # (batch, time, 1)
        gate, mixed, step = self.input_projection(x).split(self.widths, dim=-1)
        mixed, tail = self._convolve(mixed, real, tail)
        with full_precision(x.device):
            values, memory = self._read(widened(mixed), widened(step), real, memory)
            values = self._normalize(values * F.silu(widened(gate)))
        values = self.output_projection(values.to(x.dtype))
        if back is not None:
            values = values.masked_fill(~real[..., None], 0.0)
            values = values.take_along_dim(back, dim=1)
        return values, (tail, memory)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        heads = f"num_heads={self.num_heads}, num_groups={self.num_groups}"
        return f"{heads}, chunk_size={self.chunk_size}, eps={self.eps}"

    def _convolve(
        self,
        mixed: Float[Tensor, "batch time features"],
        real: Bool[Tensor, "batch time"] | None,
        tail: Float[Tensor, "batch earlier features"] | None,
    ) -> tuple[Tensor, Tensor]:
        """Return the activated convolution, and its last real inputs for later."""
        batch, time, features = mixed.shape
        earlier, _ = self.state_shapes[0]
        if tail is None:
            tail = mixed.new_zeros(batch, earlier, features)
        seen = torch.cat((tail.to(mixed.dtype), mixed), dim=1)
        found = F.silu(self.convolution(seen.mT).mT)  # (batch, time, features)
        if real is None:
            return found, seen[:, time:]
        places = torch.arange(earlier, device=mixed.device)
        last = real.sum(dim=1, keepdim=True) + places  # (batch, earlier)
        return found, seen.take_along_dim(last[..., None], dim=1)

    def _read(
        self,
        mixed: Float[Tensor, "batch time features"],
        step: Float[Tensor, "batch time heads"],
        real: Bool[Tensor, "batch time"] | None,
        memory: Float[Tensor, "batch heads d_state d_head"] | None,
    ) -> tuple[Tensor, Tensor]:
        """Return what is read of the state at each position, and the last state."""
        x, write, read = mixed.split(self.convolved, dim=-1)
        x = split_heads(x, self.num_heads)  # (batch, heads, time, d_head)
        write, read = (
            share_heads(split_heads(part, self.num_groups), self.num_heads)
            for part in (write, read)
        )
        step = F.softplus(step + self.step_bias).mT  # (batch, heads, time)
        if real is not None:  # where no time passes, nothing is written or forgotten
            step = step * real[:, None]
        values, memory = state_space(
            x,
            step,
            widened(self.log_decay_rate).exp(),
            write,
            read,
            form="recurrent" if x.size(2) == 1 else "chunked",
            chunk_size=self.chunk_size,
            state=memory,
        )
        values = values + self.skip[:, None, None] * x
        return values.transpose(1, 2).flatten(start_dim=2), memory

    def _normalize(
        self, x: Float[Tensor, "batch time inner"]
    ) -> Float[Tensor, "batch time inner"]:
        """Give each group of features a mean square of one, then rescale them."""
        groups = x.unflatten(-1, (self.num_groups, -1))
        normal = F.rms_norm(groups, groups.shape[-1:], eps=self.eps)
        return normal.flatten(start_dim=2) * self.norm_weight


# Checks


def check_state_space(
    x: object,
    step: object,
    decay_rate: object,
    write: object,
    read: object,
    form: object,
    chunk_size: object,
    state: object | None,
) -> None:
    """Check the times of a state space, and that its axes are where they belong."""
    check_choice("form", form, FORMS)
    check_size("chunk_size", chunk_size)
    check_heads(x=x, write=write)
    positions, d_head, d_state = tuple(x.shape[:3]), x.size(3), write.size(3)
    check_shapes(
        x,
        step=(step, positions),
        decay_rate=(decay_rate, positions[1:2]),
        write=(write, (*positions, d_state)),
        read=(read, (*positions, d_state)),
        state=(state, (*positions[:2], d_state, d_head)),
    )
    if not can_read(step):
        return
    shortest, slowest = (float(x.detach().min()) for x in (step, decay_rate))
    if shortest < 0 or slowest <= 0:
        raise ValueError(
            "steps must be at least 0 and decay rates above it, got "
            f"{shortest:.4g} and {slowest:.4g}; pass softplus(step), and the rate as "
            "-A."
        )


def check_mamba2(
    d_model: int,
    num_heads: int,
    d_head: int | None,
    num_groups: int,
    kernel_size: object,
    chunk_size: object,
    eps: object,
) -> None:
    """Check the settings of a mixer of Mamba-2."""
    check_widths(d_model, num_heads, None, d_head)
    check_divisible("num_heads", num_heads, "num_groups", num_groups)
    check_size("kernel_size", kernel_size, minimum=2)
    check_size("chunk_size", chunk_size)
    check_positive("eps", eps)
