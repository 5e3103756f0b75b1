"""A mixer of linear attention: features, decays and rates of several heads."""

from collections.abc import Callable
from functools import partial
from math import log1p

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from transformer.checks.doors import doors
from transformer.checks.values import check_choice, check_positive, check_size
from transformer.layers.activations import identity
from transformer.layers.attention import share_heads, split_heads
from transformer.layers.linear_attention import (
    Keys,
    LinearOutput,
    Numbers,
    Values,
    chunked_linear_attention,
    recurrent_linear_attention,
)
from transformer.layers.multi_head_attention import check_widths
from transformer.layers.norms import RMSNorm
from transformer.layers.projections import start_projections
from transformer.layers.recurrent_mixer import (
    RecurrentMixer,
    State,
    full_precision,
    widened,
)


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


def check_linear_layer(
    d_model: object,
    num_heads: object,
    num_kv_heads: object,
    d_head: object,
    feature_map: object,
    decay: object,
    chunk_size: object,
    eps: object,
) -> None:
    """Check the settings of a layer of linear attention."""
    check_widths(d_model, num_heads, num_kv_heads, d_head)
    check_choice("feature_map", feature_map, FEATURE_MAPS)
    check_choice("decay", decay, DECAYS)
    check_size("chunk_size", chunk_size)
    check_positive("eps", eps)
