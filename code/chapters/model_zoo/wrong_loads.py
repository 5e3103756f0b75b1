"""Wrong ways to load a trained Llama, and by what they can be told."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from transformer.config import TransformerConfig
from transformer.decoding import greedy_decode
from transformer.layers.rotation import interleaved_to_half
from transformer.models import DecoderOnlyTransformer
from transformer.models.parameters import SkipInitialization

Tensors = Mapping[str, Tensor]
Wrong = Callable[[TransformerConfig, Tensors], tuple[TransformerConfig, Tensors]]
HEAD, LAST_NORM = "head.projection.weight", "decoder.norm.weight"
SAME = 1e-3  # what states may differ by, as a share of their size, and be the same


def choosing(**fields: object) -> Wrong:
    """Return the mistake of some wrong fields in the configuration."""
    return lambda config, tensors: (replace(config, **fields), tensors)


def exchanging(one: str, other: str) -> Wrong:
    """Return the mistake of taking each of two parts of all layers for the other."""

    def exchanged(name: str) -> str:
        parts = {one: other, other: one}
        return next((name.replace(a, b) for a, b in parts.items() if a in name), name)

    return lambda config, tensors: (
        config,
        {exchanged(name): tensor for name, tensor in tensors.items()},
    )


def transposing(part: str) -> Wrong:
    """Return the mistake of one part of all layers, which is turned over."""
    return lambda config, tensors: (
        config,
        {name: x.T if part in name else x for name, x in tensors.items()},
    )


def by_alphabet(config, tensors):
    """Take the layers in the order of their names, 0, 1, 10, 11 and so on."""
    order = sorted(range(config.num_decoder_layers), key=str)

    def moved(name: str) -> str:
        parts = name.split(".")
        if parts[1] == "layers":
            parts[2] = str(order.index(int(parts[2])))
        return ".".join(parts)

    return config, {moved(name): tensor for name, tensor in tensors.items()}


def without_head(config, tensors):
    """Give the model output weights of its own, and leave them as they start."""
    return replace(config, tie_embeddings=False), tensors


def plain_last_norm(config, tensors):
    """Leave the gain of the last norm at one."""
    return config, {**tensors, LAST_NORM: torch.ones_like(tensors[LAST_NORM])}


def reordered(config: TransformerConfig, tensors: Tensors) -> dict[str, Tensor]:
    """Return tensors whose queries and keys pair halves, from interleaved ones."""
    order = interleaved_to_half(config.head_size).to("cpu")

    def rows(name: str, x: Tensor) -> Tensor:
        if not ("query_projection" in name or "key_projection" in name):
            return x
        return x.unflatten(0, (-1, config.head_size))[:, order].flatten(0, 1)

    return {name: rows(name, tensor) for name, tensor in tensors.items()}


# Four likely next words after "The capital of France is", with the logits that the
# reader of the package `gguf` and Hugging Face's Llama give them.
REFERENCE = {" Paris": 17.3713, " the": 14.8886, " Le": 13.0095, " New": 12.9515}

# What stands in the table, and the mistake.
FAULTS: dict[str, Wrong] = {
    "no mistake": choosing(),
    "epsilon 1e-6": choosing(norm_eps=1e-6),
    "base 10,000": choosing(rotary_base=1e4),
    "LayerNorm": choosing(norm="layer"),
    "GELU in the gate": choosing(activation="gelu"),
    "halves paired": choosing(rotary_layout="half"),
    "queries transposed": transposing("query_projection"),
    "gate, up exchanged": exchanging("gate_projection", "up_projection"),
    "no gates": choosing(gated=False),
}

# The five models of the exercise, by letter.
MODELS: dict[str, Wrong] = {
    "A": choosing(rotary_base=1e4),
    "B": without_head,
    "C": choosing(rotary_layout="half"),
    "D": plain_last_norm,
    "E": by_alphabet,
}


@dataclass(frozen=True)
class Found:
    """What a loaded model shows.

    Args:
        missing: How many of its tensors got no numbers.
        surplus: How many tensors had no place in it.
        loss: Its cross-entropy on a text, in nats a token.
        logits: Its logits for that text.
        states: What each layer passed on.
        writes: How it continues each of some prompts.
    """

    missing: int
    surplus: int
    loss: float
    logits: Float[Tensor, "time vocab"]
    states: Float[Tensor, "layers time d_model"]
    writes: tuple[str, ...]

    def gap(self, right: "Found", *, time: slice = slice(None)) -> float:
        """Return the largest difference of the logits from those of another model."""
        return (self.logits[time] - right.logits[time]).abs().max().item()

    def first_layer(self, right: "Found") -> int | None:
        """Return the first layer, from 1, whose states are not those of another."""
        apart = (self.states - right.states).norm(dim=-1)
        shares = (apart / right.states.norm(dim=-1)).amax(dim=1)
        layers = (shares > SAME).nonzero().flatten()
        return layers[0].item() + 1 if len(layers) else None


def examine(
    wrong: Wrong,
    config: TransformerConfig,
    tensors: Tensors,
    tokenizer: object,
    *,
    text: str,
    prompts: Sequence[str] = (),
    length: int = 12,
) -> Found:
    """Load a model with a mistake, and return what it shows.

    Args:
        wrong: The mistake.
        config: The right configuration.
        tensors: The right tensors, under our names; the output weights are tied.
        tokenizer: The tokenizer of the model.
        text: What it reads.
        prompts: What it continues.
        length: By how many tokens.
    """
    config, tensors = wrong(config, tensors)
    with _float32_from_a_seed(), SkipInitialization():
        model = DecoderOnlyTransformer(config).eval()
    fits = model.load_state_dict(tensors, strict=False)
    tied = {HEAD} if config.tie_embeddings else set()  # has the embedding's numbers
    missing = {*fits.missing_keys} - tied
    # Biases of norms start at zero; what else is missing has to be drawn.
    if not all(name.endswith("norm.bias") for name in missing):
        with _float32_from_a_seed():
            model = DecoderOnlyTransformer(config).eval()
        model.load_state_dict(tensors, strict=False)
    model.to(torch.get_default_device())
    ids = torch.tensor(tokenizer.encode(text))
    logits, states = read(model, ids)
    return Found(
        len(missing),
        len(fits.unexpected_keys),
        cross_entropy(logits[:-1], ids[1:]).item(),
        logits,
        states,
        tuple(written(model, tokenizer, prompt, length) for prompt in prompts),
    )


@contextmanager
def _float32_from_a_seed() -> Iterator[None]:
    """Build a model as the numbers of a file are, with the same start each time."""
    dtype = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32)
    try:
        with torch.random.fork_rng(devices=[]), torch.device("cpu"):
            torch.manual_seed(0)
            yield
    finally:
        torch.set_default_dtype(dtype)


@torch.no_grad()
def read(
    model: DecoderOnlyTransformer, ids: Int[Tensor, " time"]
) -> tuple[Float[Tensor, "time vocab"], Float[Tensor, "layers time d_model"]]:
    """Return the logits of a model for a text, and what each layer passes on."""
    states = []
    hooks = [
        layer.register_forward_hook(lambda part, given, output: states.append(output))
        for layer in model.decoder.layers
    ]
    logits = model(ids[None])[0]
    for hook in hooks:
        hook.remove()
    return logits, torch.cat(states)


def written(
    model: DecoderOnlyTransformer, tokenizer: object, prompt: str, length: int
) -> str:
    """Return what a model writes if it always takes the best token."""
    ids = torch.tensor([tokenizer.encode(prompt)])
    new = greedy_decode(model, ids, max_new_tokens=length)[0]
    return tokenizer.decode(new.tolist())
