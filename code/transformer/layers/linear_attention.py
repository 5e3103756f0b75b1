"""Linear attention: without softmax the past is one matrix, whatever its length."""

from collections.abc import Callable
from functools import partial
from math import log1p
from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.checks.doors import door, doors
from transformer.checks.tensors import can_read, check_float_tensor, check_same_kind
from transformer.checks.values import (
    check_choice,
    check_flag,
    check_positive,
    check_size,
)
from transformer.layers.activations import identity
from transformer.layers.attention import share_heads, split_heads
from transformer.layers.multi_head_attention import check_projections
from transformer.layers.norms import RMSNorm
from transformer.layers.projections import start_projections
from transformer.layers.recurrent_mixer import (
    RecurrentMixer,
    State,
    full_precision,
    widened,
)

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
        TypeError: If an argument has the wrong type or dtype.
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
        TypeError: If an argument has the wrong type.
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
        value = torch.linalg.solve_triangular(  # which reads below the diagonal only
            rate * (key @ key.mT * left), rate * value, upper=False, unitriangular=True
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


def elu_plus_one(x: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    r"""Return a feature above zero for each number.

    $$\phi(x) = \mathrm{elu}(x) + 1$$

    that is $x + 1$ above zero and $e^x$ below.

    Source: Katharopoulos et al. (2020), section 3.2.1, equation (7).
    """
    return F.elu(x) + 1.0


def retention_decays(
    num_heads: int,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | None = None,
) -> Float[Tensor, " heads"]:
    r"""Return the logarithms of the constant decays of all heads.

    $$a_i = 1 - 2^{-5-i}, \qquad i = 0, \dots, h - 1$$

    Source: Sun et al. (2023, "Retentive Network"), section 2.2, equation (8).
    """
    decays = [log1p(-(2.0 ** (-5 - head))) for head in range(num_heads)]
    return torch.tensor(decays, dtype=dtype, device=device)


FEATURE_MAPS = {"elu": elu_plus_one, "identity": identity}
DECAYS = ("none", "fixed", "gate")
TEMPERATURE = 16.0  # of the gate: by how much slower it forgets


@doors(init=lambda: check_linear_layer)
class LinearAttention(RecurrentMixer):
    r"""Attend without softmax, in several heads, with projections of their own.

    $$H_i = \mathrm{LinearAttention}(\phi(X W_i^Q),\, \phi(X W_{g(i)}^K),\,
    X W_{g(i)}^V), \qquad Y = \mathrm{Concat}(H_1', \dots, H_h')\, W^O$$

    The values read are divided by the sum of the weights where these are above zero,
    as softmax does: $\phi = \mathrm{elu} + 1$ without the delta rule. Elsewhere the
    sum may vanish, and each head's values get a root mean square of one.

    With the delta rule keys and queries have length 1 and the rate is
    $\beta = \sigma(\mathbf{w}_\beta^\top \mathbf{x})$. The decay is constant,
    `retention_decays`, or a gate, $a = \sigma(\mathbf{w}_a^\top \mathbf{x} +
    b_a)^{1/16}$, for each head.

    Source: Katharopoulos et al. (2020), section 3; the rate: Schlag et al. (2021),
    section 4.2; the norm of each head: Sun et al. (2023, "Retentive Network"), section
    2.2, where it is a group norm; the gate: Yang et al. (2024, "Gated Linear
    Attention"), section 4.4, where each feature has one.

    Args:
        d_model: Number of features of the input and the output.
        num_heads: Number of query heads.
        num_kv_heads: Number of key and value heads; divides `num_heads`, and equals
            it when not given.
        d_head: Number of features of a head; `d_model / num_heads` when not given.
        feature_map: $\phi$: `"elu"` or `"identity"`.
        decay: `"none"`, `"fixed"` or `"gate"`.
        delta: Whether values are written by the delta rule.
        bias: Whether queries, keys, values and output have biases.
        chunk_size: Number of positions that are read at once.
        eps: Inside the root of the norm of each head.

    Shape:
        query, key, value: (batch, time, d_model), one tensor, as for `RecurrentMixer`.

    Raises:
        TypeError: If an argument has the wrong type or dtype.
        ValueError: If sizes do not divide, a name is unknown, or shapes do not fit.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        d_head: int | None = None,
        feature_map: str = "elu",
        decay: str = "none",
        delta: bool = False,
        bias: bool = True,
        chunk_size: int = 64,
        eps: float = 1e-5,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        d_head = d_model // num_heads if d_head is None else d_head
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.feature_map, self.decay, self.delta = feature_map, decay, delta
        self.chunk_size = chunk_size
        self.query_projection = nn.Linear(d_model, num_heads * d_head, bias=bias)
        self.key_projection = nn.Linear(d_model, num_kv_heads * d_head, bias=bias)
        self.value_projection = nn.Linear(d_model, num_kv_heads * d_head, bias=bias)
        self.output_projection = nn.Linear(num_heads * d_head, d_model, bias=bias)
        if decay == "gate":
            self.decay_projection = nn.Linear(d_model, num_heads)
        if delta:
            self.rate_projection = nn.Linear(d_model, num_heads, bias=False)
        start_projections(*self.children())
        self.divides = feature_map == "elu" and not delta
        self.norm = nn.Identity() if self.divides else RMSNorm(d_head, eps=eps)
        self.state_shapes = ((num_heads, d_head, d_head + self.divides),)

    def mix(
        self,
        x: Float[Tensor, "batch time d_model"],
        real: Bool[Tensor, "batch time"] | None,
        state: State | None,
    ) -> tuple[Float[Tensor, "batch time d_model"], State]:
        """Return what becomes of `x` after a state, and the state after it."""
        query = split_heads(self.query_projection(x), self.num_heads)
        key = split_heads(self.key_projection(x), self.num_kv_heads)
        value = split_heads(self.value_projection(x), self.num_kv_heads)
        key, value = (share_heads(part, self.num_heads) for part in (key, value))
        log_decay, rate = self._log_decay(x), self._rate(x)
        with full_precision(x.device):
            query, key, value = self._features(*map(widened, (query, key, value)))
            if real is not None:  # padding writes nothing, and nothing is forgotten
                key = key.masked_fill(~real[:, None, :, None], 0.0)
                if log_decay is not None:
                    log_decay = log_decay.masked_fill(~real[:, None], 0.0)
            given = {"log_decay": log_decay, "rate": rate}
            given["state"] = None if state is None else state[0]
            values, memory = self._form(x.size(1))(query, key, value, **given)
            if self.divides:
                values, weights = values[..., :-1], values[..., -1:]
                # The sum is zero where nothing but padding has been read.
                values = values / weights.clamp(min=torch.finfo(weights.dtype).tiny)
            values = self.norm(values)
        merged = values.transpose(1, 2).flatten(start_dim=2).to(x.dtype)
        return self.output_projection(merged), (memory,)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        heads = f"num_heads={self.num_heads}, num_kv_heads={self.num_kv_heads}"
        kind = f"feature_map={self.feature_map!r}, decay={self.decay!r}"
        return f"{heads}, {kind}, delta={self.delta}, chunk_size={self.chunk_size}"

    def _features(self, query: Keys, key: Keys, value: Values) -> tuple[Tensor, ...]:
        """Return features of queries and keys, and beside each value a 1 to sum up."""
        query, key = (FEATURE_MAPS[self.feature_map](x) for x in (query, key))
        if self.delta:
            query, key = F.normalize(query, dim=-1), F.normalize(key, dim=-1)
        if self.divides:
            value = F.pad(value, (0, 1), value=1.0)
        return query, key, value

    def _log_decay(self, x: Float[Tensor, "batch time d_model"]) -> Numbers | None:
        """Return the logarithm of the decay at each position, if there is one."""
        if self.decay == "none":
            return None
        if self.decay == "gate":
            gate = widened(self.decay_projection(x)).mT  # (batch, heads, time)
            return F.logsigmoid(gate) / TEMPERATURE
        wide = torch.promote_types(x.dtype, torch.float32)
        decays = retention_decays(self.num_heads, dtype=wide, device=x.device)
        return decays[:, None].expand(x.size(0), -1, x.size(1))

    def _rate(self, x: Float[Tensor, "batch time d_model"]) -> Numbers | None:
        """Return the rate of the delta rule at each position, if there is one."""
        if not self.delta:
            return None
        return widened(self.rate_projection(x)).mT.sigmoid()

    def _form(self, time: int) -> Callable[..., LinearOutput]:
        """Return the form that is the fastest for so many positions."""
        if time == 1:
            return recurrent_linear_attention
        return partial(chunked_linear_attention, chunk_size=self.chunk_size)


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
    """Check that tensors, or None, are of the kind of one, and have certain shapes."""
    for name, (x, shape) in wanted.items():
        if x is None:
            continue
        check_float_tensor(name, x)
        check_same_kind(**{"the first tensor": like, name: x})
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


def check_linear_layer(
    d_model: object,
    num_heads: object,
    num_kv_heads: object,
    d_head: object,
    feature_map: object,
    decay: object,
    delta: object,
    bias: object,
    chunk_size: object,
    eps: object,
) -> None:
    """Check the settings of a layer of linear attention."""
    check_projections(d_model, num_heads, num_kv_heads, d_head, bias)
    check_choice("feature_map", feature_map, FEATURE_MAPS)
    check_choice("decay", decay, DECAYS)
    check_flag("delta", delta)
    check_size("chunk_size", chunk_size)
    check_positive("eps", eps)
