"""Linear attention: without softmax the past is one matrix, whatever its length."""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from transformer.checks.doors import door
from transformer.checks.tensors import can_read, check_float_tensor
from transformer.checks.values import check_size
from transformer.layers.triangular import solve_unit_triangular

Keys = Float[Tensor, "batch heads time d_key"]
Values = Float[Tensor, "batch heads time d_value"]
Numbers = Float[Tensor, "batch heads time"]
Memory = Float[Tensor, "batch heads d_key d_value"]


class LinearOutput(NamedTuple):
    """What the queries read, and the state after the last position."""

    values: Values
    state: Memory


@door(lambda: check_linear)
def recurrent_linear_attention(
    query: Keys,
    key: Keys,
    value: Values,
    *,
    log_decay: Numbers | None = None,
    rate: Numbers | None = None,
    state: Memory | None = None,
) -> LinearOutput:
    r"""Read one position after the other, and keep the past in a matrix.

    $$S_t = a_t S_{t-1} + \mathbf{k}_t \mathbf{u}_t^\top, \qquad
    \mathbf{o}_t = S_t^\top \mathbf{q}_t$$

    What is written is the value, $\mathbf{u}_t = \mathbf{v}_t$, or by the delta rule
    what the memory lacks of it, at the rate $\beta_t$:

    $$\mathbf{u}_t = \beta_t\,(\mathbf{v}_t - a_t S_{t-1}^\top \mathbf{k}_t)$$

    With keys of length 1 and $\beta_t = 1$ the key reads back exactly the new value,
    and what lies under orthogonal keys stays as it was. Without decay $a_t = 1$.

    Source: Katharopoulos et al. (2020), section 3.3, equations (10) to (12), without
    their normalizer, which is the same sum with 1 for each value; the delta rule:
    Schlag et al. (2021), section 4.2, equation (24); a constant decay for each head:
    Sun et al. (2023, "Retentive Network"), section 2.1, equation (6); one that depends
    on the position, with the delta rule: Yang et al. (2024, "Gated Delta Networks"),
    section 3.1, equation (10).

    Args:
        query: What reads.
        key: Where to write; of length 1 for the delta rule.
        value: What to write.
        log_decay: Logarithm of $a_t$, at most 0; no decay when not given.
        rate: The rate $\beta_t$ of the delta rule; values are added when not given.
        state: The matrix $S_0$; zero when not given.

    Returns:
        The values read, (batch, heads, time, d_value), and the last matrix.

    Raises:
        ValueError: If shapes do not fit, or a decay is above 1.
    """
    if state is None:
        state = key.new_zeros(*key.shape[:2], key.size(3), value.size(3))
    outputs = []
    for t in range(key.size(2)):
        q, k, new = (x[:, :, t, :, None] for x in (query, key, value))
        if log_decay is not None:
            state = state * log_decay[:, :, t, None, None].exp()
        if rate is not None:
            new = rate[:, :, t, None, None] * (new - state.mT @ k)
        state = state + k @ new.mT  # (batch, heads, d_key, d_value)
        outputs.append((state.mT @ q).squeeze(-1))
    return LinearOutput(torch.stack(outputs, dim=2), state)


@door(lambda: check_decay)
def decay_mask(
    log_decay: Float[Tensor, "*batch time"],
) -> Float[Tensor, "*batch time time"]:
    r"""Return what is left at each position of what was written at each other one.

    $$L_{ts} = a_{s+1} \cdots a_t \quad (s \le t), \qquad L_{ts} = 0 \quad (s > t)$$

    Without decay it is the causal mask; with a constant one, $L_{ts} = a^{t-s}$. Any
    block of it that does not reach above the diagonal has rank 1, so it is called
    1-semiseparable. The exponents are summed up from $s + 1$ for each $s$: a difference
    of two long sums would lose digits, and a decay to 0 would give $\infty - \infty$.

    Source: Sun et al. (2023, "Retentive Network"), section 2.1, equation (5), where the
    decay is constant; Dao and Gu (2024), section 3.2.2.

    Args:
        log_decay: Logarithm of $a_t$, at most 0.

    Raises:
        ValueError: If there is no time axis, or a decay is above 1.
    """
    time = log_decay.size(-1)
    full = torch.ones(time, time, dtype=torch.bool, device=log_decay.device)
    steps = log_decay.unsqueeze(-1).expand(*log_decay.shape, time)
    exponents = steps.masked_fill(~full.tril(-1), 0.0).cumsum(dim=-2)
    return exponents.masked_fill(~full.tril(), -torch.inf).exp()


@door(lambda: check_linear)
def masked_linear_attention(
    query: Keys,
    key: Keys,
    value: Values,
    *,
    log_decay: Numbers | None = None,
    rate: Numbers | None = None,
    state: Memory | None = None,
) -> LinearOutput:
    r"""Read all positions at once: as attention whose mask takes the softmax's place.

    $$O = (Q K^\top \odot L)\, U + \mathrm{diag}(g)\, Q S_0, \qquad
    S_n = g_n S_0 + K^\top \mathrm{diag}(L_{n1}, \dots, L_{nn})\, U$$

    with $L$ as in `decay_mask` and $g_t = a_1 \cdots a_t$. What is written is $U = V$,
    or by the delta rule the solution of a triangular system:

    $$\big(I + \mathrm{diag}(\beta)\, (K K^\top \odot L)_{s < t}\big)\, U =
    \mathrm{diag}(\beta)\, (V - \mathrm{diag}(g)\, K S_0)$$

    It gives what `recurrent_linear_attention` gives, takes the same arguments, and a
    number for each pair of positions.

    Source: Sun et al. (2023, "Retentive Network"), section 2.1, equations (5) and (7);
    the system: Yang et al. (2024, "Gated Delta Networks"), sections 2.2 and 3.3.
    """
    if log_decay is None:
        log_decay = key.new_zeros(key.shape[:3])
    left = decay_mask(log_decay)  # (batch, heads, time, time)
    since = log_decay.cumsum(dim=-1).exp().unsqueeze(-1)  # (batch, heads, time, 1)
    if rate is not None:
        if state is not None:
            value = value - since * (key @ state)
        rate = rate.unsqueeze(-1)
        value = solve_unit_triangular(  # which reads below the diagonal only
            rate * (key @ key.mT * left), rate * value
        )
    values = (query @ key.mT * left) @ value
    last = (key * left[:, :, -1, :, None]).mT @ value
    if state is not None:
        values = values + since * (query @ state)
        last = last + since[:, :, -1:] * state
    return LinearOutput(values, last)


@door(lambda: check_chunked)
def chunked_linear_attention(
    query: Keys,
    key: Keys,
    value: Values,
    *,
    chunk_size: int = 64,
    log_decay: Numbers | None = None,
    rate: Numbers | None = None,
    state: Memory | None = None,
) -> LinearOutput:
    r"""Read chunk by chunk: within one by the mask, between them by the state.

    It gives what `recurrent_linear_attention` gives and takes the same arguments. For
    $n$ positions and chunks of $c$ it has $n / c$ steps instead of $n$, and $n c$
    scores instead of $n^2$. The last chunk may be shorter than `chunk_size` = $c$.

    Source: Sun et al. (2023, "Retentive Network"), section 2.1, equation (7); with the
    delta rule: Yang et al. (2024, "Parallelizing Linear Transformers"), section 3.2.
    """
    parts = [
        [None] * -(-key.size(2) // chunk_size)
        if x is None
        else x.split(chunk_size, dim=2)
        for x in (query, key, value, log_decay, rate)
    ]
    found = []
    for q, k, v, a, b in zip(*parts, strict=True):
        read = masked_linear_attention(q, k, v, log_decay=a, rate=b, state=state)
        state = read.state
        found.append(read.values)
    return LinearOutput(torch.cat(found, dim=2), state)


# Checks


def check_linear(
    query: object,
    key: object,
    value: object,
    log_decay: object | None,
    rate: object | None,
    state: object | None,
) -> None:
    """Check that all that linear attention is given has the same positions."""
    check_heads(key=key, value=value)
    positions, keys, values = tuple(key.shape[:3]), key.size(3), value.size(3)
    check_shapes(
        key,
        query=(query, (*positions, keys)),
        value=(value, (*positions, values)),
        log_decay=(log_decay, positions),
        rate=(rate, positions),
        state=(state, (*positions[:2], keys, values)),
    )
    if log_decay is not None:
        check_decay(log_decay)


def check_heads(**tensors: object) -> None:
    """Check that tensors have heads and positions."""
    for name, x in tensors.items():
        check_float_tensor(name, x)
        if x.dim() != 4 or x.size(2) == 0:
            raise ValueError(
                f"{name} must have shape (batch, heads, time, features), with at least "
                f"one position, got {tuple(x.shape)}; split the heads, as split_heads "
                "does."
            )


def check_shapes(like: Tensor, **wanted: tuple[object, tuple[int, ...]]) -> None:
    """Check that tensors, or None, have certain shapes beside one."""
    for name, (x, shape) in wanted.items():
        if x is None:
            continue
        check_float_tensor(name, x)
        if tuple(x.shape) != shape:
            raise ValueError(
                f"{name} must have shape {shape} beside a tensor of shape "
                f"{tuple(like.shape)}, got {tuple(x.shape)}; expand or cut it."
            )


def check_chunked(
    query: object,
    key: object,
    value: object,
    chunk_size: object,
    log_decay: object | None,
    rate: object | None,
    state: object | None,
) -> None:
    """Check what linear attention is given, and the size of a chunk."""
    check_size("chunk_size", chunk_size)
    check_linear(query, key, value, log_decay, rate, state)


def check_decay(log_decay: object) -> None:
    """Check that nothing grows: a decay is at most 1, so its logarithm at most 0."""
    check_float_tensor("log_decay", log_decay)
    if log_decay.dim() == 0:
        raise ValueError(
            "log_decay must have a time axis, got a single number; expand it."
        )
    if not can_read(log_decay) or log_decay.numel() == 0:
        return
    if (largest := float(log_decay.detach().max())) > 0:
        raise ValueError(
            "log_decay must be at most 0, the logarithm of a decay of at most 1, got "
            f"{largest:.4g}; pass decay.log()."
        )
