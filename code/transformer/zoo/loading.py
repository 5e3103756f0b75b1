"""Loading: tensors of another implementation become the parameters of a model.

Everything is compared before anything is copied, so that a model is loaded as a whole
or stays as it was.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from transformer.models.parameters import SkipInitialization
from transformer.zoo.layout import Layout

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
WRAPPERS = ("_orig_mod.", "module.", "base_model.model.")
# What every model has one of; its dtype and device are taken for those of the model.
EMBEDDINGS = ("embedding.tokens.embedding", "embedding.patches")
SHOWN = 5  # names of one kind that an error spells out
TABLE_TOLERANCE = 1e-5  # of constants whose values lie between -1 and 1


def load_model(
    build: Callable[[], nn.Module], tensors: Mapping[str, Tensor], layout: Layout
) -> nn.Module:
    """Build a model in the dtype and on the device of stored tensors, and load them.

    Args:
        build: Makes the model.
        tensors: The stored tensors, by name.
        layout: Where they go.

    Returns:
        The model, ready for inference: in evaluation mode, without dropout.

    Raises:
        ValueError: If the tensors do not fit; see `translate`.
    """
    first = next(name for name in layout.names if name in EMBEDDINGS)
    embedding = layout.names[first] + ".weight"
    named = (x for name, x in tensors.items() if layout.spell(name) == embedding)
    like = next(named, None)
    if not isinstance(like, Tensor) or like.dtype not in DTYPES:
        like = torch.empty(0)  # what is wrong with it is said below, with the rest
    with _default_dtype(like.dtype), SkipInitialization():
        with torch.device("meta"):  # where a size that is not true takes no memory
            translated = translate(build(), tensors, layout)
        with like.device:
            model = build()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(translated[name])
    return model.eval()


def without_wrappers(tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """Return tensors by the names that they have in a model without wrappers.

    Source: the prefixes are those of `torch.compile`, of PyTorch's data parallelism and
    of the package `peft`.

    Args:
        tensors: Named tensors; a prefix is taken away only where all have it.
    """
    while tensors and (
        prefix := next(
            (p for p in WRAPPERS if all(n.startswith(p) for n in tensors)), ""
        )
    ):
        tensors = {name.removeprefix(prefix): x for name, x in tensors.items()}
    return tensors


def cast(x: object, dtype: torch.dtype) -> object:
    """Return a tensor of floats in a dtype, and anything else as it is."""
    is_float = isinstance(x, Tensor) and x.is_floating_point()
    return x.to(dtype) if is_float else x


def translate(
    model: nn.Module, tensors: Mapping[str, Tensor], layout: Layout
) -> dict[str, Tensor]:
    """Return stored tensors under our names and in our shapes.

    Args:
        model: The model whose parameters they are, or are the gradients of.
        tensors: The stored tensors, by name.
        layout: Where they go.

    Raises:
        ValueError: If a tensor is missing, surplus, of another shape, kind or dtype,
            or differs from what it must equal; one error names all of them.
    """
    stored = {layout.spell(name): tensor for name, tensor in tensors.items()}
    problems = _problems(model, stored, layout)
    if len(stored) < len(tensors):
        spelled = [layout.spell(name) for name in tensors]
        problems["stored twice"] = sorted({n for n in spelled if spelled.count(n) > 1})
    if any(problems.values()):
        remedy = "pass the model or state dict that the configuration describes"
        if any(".lora_" in name for name in stored):
            remedy = "merge what was trained beside them first, by merge_and_unload()"
        elif any("torch." in fault for fault in problems["wrong"]):
            remedy += ", or a dtype for all"
        raise ValueError(
            f"the tensors must be those of {layout.source} of this configuration, "
            f"got\n{_list(problems)}\nnothing was loaded; {remedy}."
        )
    return {
        name: layout.reading(name).take(stored[layout.stored_name(name)])
        for name, _ in model.named_parameters()
    }


def equal_tensors(copy: object, original: object) -> bool:
    """Return whether two tensors are equal; on the meta device nothing differs."""
    if not (isinstance(copy, Tensor) and isinstance(original, Tensor)):
        return False
    if copy.dtype != original.dtype or copy.device != original.device:
        return False
    return copy.device.type == "meta" or torch.equal(copy, original)


def _problems(
    model: nn.Module, stored: Mapping[str, Tensor], layout: Layout
) -> dict[str, list[str]]:
    """List all that keeps stored tensors from being loaded, by kind."""
    found = {kind: [] for kind in ("not stored there", "missing", "surplus", "wrong")}
    read = set()
    for name, parameter in model.named_parameters():
        theirs = layout.stored_name(name)
        if theirs is None:
            found["not stored there"].append(name)
            continue
        read.add(theirs)
        if theirs not in stored:
            found["missing"].append(theirs)
            continue
        shape = layout.reading(name).shape(tuple(parameter.shape))
        if wrong := _misfit(stored[theirs], shape, parameter.dtype):
            found["wrong"].append(f"{theirs}: {wrong}")
    # Several parameters of ours may lie in one stored tensor.
    found = {kind: list(dict.fromkeys(names)) for kind, names in found.items()}
    known = read.union(layout.tied, layout.tables)
    found["surplus"] = [n for n in stored if n not in known and not layout.ignores(n)]
    found["different"] = list(_differences(stored, layout, read))
    return found


def _misfit(tensor: object, shape: tuple[int, ...], dtype: torch.dtype) -> str | None:
    """Describe how a stored tensor differs from what is expected; None if it fits."""
    if not isinstance(tensor, Tensor):
        return f"{type(tensor).__name__}, not a tensor"
    if tensor.device.type == "meta":
        return "on the meta device, without numbers"
    if tuple(tensor.shape) != shape:
        return f"shape {tuple(tensor.shape)}, not {shape}"
    return None if tensor.dtype == dtype else f"{tensor.dtype}, not {dtype}"


def _differences(
    stored: Mapping[str, Tensor], layout: Layout, read: Collection[str]
) -> Iterator[str]:
    """Yield the duplicates and constants that are not what they must equal.

    What is read as a parameter of its own is no duplicate.
    """
    for copy, original in layout.tied.items():
        pair = [stored[name] for name in (copy, original) if name in stored]
        if copy not in read and len(pair) == 2 and not equal_tensors(*pair):
            yield f"{copy}, which is tied to {original}"
    for name, table in layout.tables.items():
        if name in stored and not _holds(stored[name], table):
            yield f"{name}, which is not the table of the formula"


def _holds(stored: object, table: Tensor) -> bool:
    """Return whether a stored tensor is a table, rounded to its dtype."""
    if not isinstance(stored, Tensor) or stored.shape != table.shape:
        return False
    if not stored.is_floating_point() or stored.device.type == "meta":
        return False
    tolerance = max(TABLE_TOLERANCE, torch.finfo(stored.dtype).eps)
    return torch.allclose(stored.double().cpu(), table, rtol=0, atol=tolerance)


def _list(problems: Mapping[str, list[str]]) -> str:
    """Write one line for each kind of problem that there is."""
    lines = []
    for kind, names in problems.items():
        more = f"; and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        if names:
            lines.append(f"  {kind} ({len(names)}): {'; '.join(names[:SHOWN])}{more}")
    return "\n".join(lines)


@contextmanager
def _default_dtype(dtype: torch.dtype) -> Iterator[None]:
    """Make new tensors of one dtype meanwhile."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)
