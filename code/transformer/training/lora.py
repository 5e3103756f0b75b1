"""LoRA: learn two narrow matrices beside a large one, which stays as it is."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from transformer.checks.doors import door, doors
from transformer.checks.values import check_dropout, check_positive, check_size
from transformer.models.quantized import check_floats
from transformer.models.saved import COMPILED
from transformer.models.wrapped import unwrapped
from transformer.training.world import bare

QUERY_AND_VALUE = ("query_projection", "value_projection")  # of every attention


@doors(init=lambda: check_lora)
class LoRALinear(nn.Module):
    r"""Add to a linear map the product of two narrow ones, which alone learn.

    $$\mathbf{y} = \mathbf{x} W^\top + \mathbf{x}\, \Delta W^\top, \qquad
    \Delta W = \frac{\alpha}{r} B A$$

    $A$ narrows to $r$ features and is drawn, $B$ widens and starts at zero, so that
    nothing is added at first.

    Source: Hu et al. (2022), section 4.1, equation (3); dropout on what $A$ reads:
    their released code. Not from there: $A$ has the deviation
    $1/\sqrt{d_{\mathrm{in}}}$, which keeps the size of features.

    Args:
        linear: The map $W$, which does not learn any more.
        rank: The number $r$ of features between $A$ and $B$.
        alpha: The factor $\alpha$.
        dropout: Probability of dropping a feature that $A$ reads while training.

    Raises:
        TypeError: If `linear` is no plain `nn.Linear`.
        ValueError: If a number is out of range, or the rank above that of the map.
    """

    def __init__(
        self,
        linear: nn.Linear,
        *,
        rank: int = 8,
        alpha: float = 16.0,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.rank, self.alpha, self.dropout = rank, alpha, dropout
        self.linear = linear.requires_grad_(False)
        new = linear.weight.new_empty
        self.down = nn.Parameter(new(rank, self.in_features))  # A
        self.up = nn.Parameter(new(self.out_features, rank))  # B
        nn.init.normal_(self.down, std=self.in_features**-0.5)
        nn.init.zeros_(self.up)
        self.active = True
        self.train(linear.training)

    @property
    def change(self) -> Float[Tensor, "out_features in_features"]:
        r"""What is added to the matrix, $\Delta W$, in float32 at least."""
        wide = torch.promote_types(self.up.dtype, torch.float32)
        return self.up.to(wide) @ self.down.to(wide) * (self.alpha / self.rank)

    @property
    def weight(self) -> Float[Tensor, "out_features in_features"]:
        """The matrix that is applied, as if both were one."""
        weight = self.linear.weight
        return (weight + self.change).to(weight.dtype) if self.active else weight

    def forward(
        self, x: Float[Tensor, "*batch in_features"]
    ) -> Float[Tensor, "*batch out_features"]:
        """Apply the map, and add what the narrow ones say."""
        y = self.linear(x)
        if not self.active:
            return y
        narrow = F.linear(F.dropout(x, self.dropout, self.training), self.down)
        return y + F.linear(narrow, self.up) * (self.alpha / self.rank)

    def merged(self) -> nn.Linear:
        """Return one map that does the same; this one is left as it is."""
        one = nn.Linear(self.in_features, self.out_features, device="meta")
        one.weight = nn.Parameter(self.weight.detach(), requires_grad=False)
        one.bias = self.linear.bias
        return one.train(self.training)

    def extra_repr(self) -> str:
        """Name the settings when the module is printed."""
        return f"rank={self.rank}, alpha={self.alpha}, dropout={self.dropout}"


class AdaptedPart(NamedTuple):
    """What an adapter adds to one map: numbers that learn, and their bytes."""

    name: str
    rank: int
    parameters: int
    bytes: int


@door(lambda: check_attached)
def attach_adapter(
    model: nn.Module,
    *,
    rank: int = 8,
    alpha: float = 16.0,
    dropout: float = 0.0,
    names: Sequence[str] = QUERY_AND_VALUE,
) -> nn.Module:
    r"""Put a `LoRALinear` around projections of a model, and let nothing else learn.

    The model is changed and returned. It reads, writes and is compiled as before. Make
    the optimizer afterwards: an older one holds parameters that do not learn any more.

    Source: Hu et al. (2022), section 4.2, for queries and values of all layers.

    Args:
        model: A model, also inside a wrapper such as that of `torch.compile`.
        rank: The number $r$ of features between $A$ and $B$.
        alpha: The factor $\alpha$.
        dropout: Probability of dropping a feature that $A$ reads while training.
        names: Which maps: the ends of their names, such as `query_projection`, or
            patterns, such as `decoder.layers.[01].*`.

    Raises:
        TypeError: If a map that is named is no plain `nn.Linear`, or `names` no list.
        ValueError: If a name fits no map, or the model has an adapter; the model is
            then left as it came.
    """
    maps = named_maps(model, names).values()
    options = {"rank": rank, "alpha": alpha, "dropout": dropout}
    for map in maps:  # all of them, before one is changed
        check_lora(map, **options)
    put(model, {map: LoRALinear(map, **options) for map in maps})
    return model


def put(model: nn.Module, adapted: Mapping[nn.Module, LoRALinear]) -> None:
    """Put adapted maps in the place of plain ones; only what they add learns."""
    model.requires_grad_(False)
    for part in adapted.values():
        part.down.requires_grad_(True)
        part.up.requires_grad_(True)
    swap(model, adapted)


def swap(model: nn.Module, instead: Mapping[Any, nn.Module]) -> None:
    """Put parts in the place of others, wherever these stand."""
    for name, part in [*model.named_modules(remove_duplicate=False)]:
        if part in instead:
            path, _, last = name.rpartition(".")
            setattr(model.get_submodule(path), last, instead[part])


def merge_adapter(model: nn.Module) -> dict[nn.Linear, LoRALinear]:
    """Put one plain map in the place of each adapted one; the model does the same.

    It can be saved by `save_model`, and takes no more time than before. Nothing in it
    learns until `requires_grad_` says so.

    Source: Hu et al. (2022), section 4.1, "No Additional Inference Latency".

    Returns:
        What `unmerge_adapter` takes; who does not keep it frees the old matrices.

    Raises:
        ValueError: If it has no adapter, or was quantized.
    """
    parts = adapted_parts(model)
    check_floats(model, purpose="to be merged")
    merged = {part: part.merged() for part in parts.values()}
    swap(model, merged)
    return {one: part for part, one in merged.items()}


def unmerge_adapter(model: nn.Module, merged: Mapping[nn.Linear, LoRALinear]) -> None:
    """Put the adapted maps back as they were, to the last bit.

    Args:
        model: The model that was merged.
        merged: What `merge_adapter` returned.

    Raises:
        ValueError: If the merged maps are not in the model, or not any more.
    """
    check_merged(model, merged)
    for one, part in merged.items():
        part.to(one.weight.device, one.weight.dtype)
    swap(model, merged)


def detach_adapter(model: nn.Module) -> None:
    """Take an adapter away: the model is what it was without it, and learns nothing.

    Raises:
        ValueError: If it has no adapter.
    """
    swap(model, {part: part.linear for part in adapted_parts(model).values()})


@contextmanager
def adapter_off(model: nn.Module) -> Iterator[None]:
    """Let a model compute without its adapter inside a `with` block.

    So one model is both the policy that learns and the reference that it left.

    Raises:
        ValueError: If it has no adapter, which may have been merged.
    """
    parts = [*adapted_parts(model).values()]
    before = [part.active for part in parts]
    try:
        for part in parts:
            part.active = False
        yield
    finally:
        for part, active in zip(parts, before, strict=True):
            part.active = active


def list_adapter(model: nn.Module) -> list[AdaptedPart]:
    """Return what an adapter adds to each map, in the order of the model.

    Raises:
        ValueError: If it has no adapter.
    """
    found = []
    for name, part in adapted_parts(model).items():
        numbers = (part.down, part.up)
        count, size = sum(x.numel() for x in numbers), sum(x.nbytes for x in numbers)
        found.append(AdaptedPart(name, part.rank, count, size))
    return found


def adapted_parts(model: nn.Module) -> dict[str, LoRALinear]:
    """Return the adapted maps of a model by name, after a check that it has some."""
    parts = unwrapped(model).named_modules()
    found = {plain(name): part for name, part in parts if isinstance(part, LoRALinear)}
    if not found:
        raise ValueError(
            f"the model must have an adapter, got {type(model).__name__} without one, "
            "or with one that was merged; call attach_adapter first."
        )
    return found


def named_maps(model: nn.Module, names: Sequence[str]) -> dict[str, nn.Linear]:
    """Return the maps of a model that some names mean, after a check of each."""
    maps, found = maps_of(model), {}
    for wanted in names:
        fits = {name: map for name, map in maps.items() if means(wanted, name)}
        if not fits:
            raise ValueError(
                "each of names must mean a linear map of the model, got "
                f"{wanted!r}; print(model) shows their names."
            )
        found |= fits
    return found


def maps_of(model: nn.Module) -> dict[str, nn.Module]:
    """Return all maps of a model by name, whatever their kind; none is adapted yet."""
    found = {}
    for name, part in unwrapped(model).named_modules():
        if hasattr(part, "in_features"):  # a compiled map stands before what it holds
            found.setdefault(plain(name), part)
    check_bare(found)
    return found


def means(wanted: str, name: str) -> bool:
    """Return whether a name or a pattern means a part: all of its name, or its end."""
    return fnmatchcase(name, wanted) or fnmatchcase(name, f"*.{wanted}")


def plain(name: str) -> str:
    """Return the name of a part without what `torch.compile` has added to it."""
    return f".{name}".replace(COMPILED, "").removeprefix(".")


# Checks


def check_lora(linear: object, rank: object, alpha: object, dropout: object) -> None:
    """Check that a map is plain, and that the numbers fit it.

    What was compiled, quantized or wrapped may read its matrix past what is added.
    """
    if type(linear) is not nn.Linear:
        raise TypeError(
            "linear must be a plain nn.Linear to be adapted, got "
            f"{type(linear).__name__}; attach the adapter before maps are compiled, "
            "quantized or wrapped."
        )
    check_size("rank", rank, maximum=min(linear.in_features, linear.out_features))
    check_positive("alpha", alpha)
    check_dropout("dropout", dropout)


def check_bare(parts: Mapping[str, nn.Module]) -> None:
    """Check that a model has no adapter yet."""
    for name, part in parts.items():
        if isinstance(part, LoRALinear):
            raise ValueError(
                f"the model must have no adapter yet, got one around {name}; merge it "
                "by merge_adapter, or take it away by detach_adapter."
            )


def check_attached(model: nn.Module, names: object) -> None:
    """Check what gets an adapter, and that its maps are listed by name."""
    if bare(model) is not model:  # which would not exchange the new gradients
        raise TypeError(
            "model must have its adapter before distribute, got "
            f"{type(model).__name__}; attach it to the model inside."
        )
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError(
            f"names must be a list of names, got {names!r:.80}; write for example "
            f"{list(QUERY_AND_VALUE)}."
        )
    if not names:
        raise ValueError("names must hold at least one, got none; pass some.")


def check_merged(model: nn.Module, merged: Mapping[Any, nn.Module]) -> None:
    """Check that merged maps stand in a model."""
    here = set(unwrapped(model).modules())
    gone = [one for one in merged if one not in here]
    if gone or not merged:
        raise ValueError(
            "merged must hold the maps that merge_adapter has put into this model, got "
            f"{len(gone)} of {len(merged)} that are not in it; unmerge once, and "
            "before another adapter is attached."
        )
