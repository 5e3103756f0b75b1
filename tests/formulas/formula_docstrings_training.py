"""Bindings for the docstrings of training, of costs, and of what reads files."""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy

import numpy as np
import torch
from formula_bindings import Draw, binds, of_docstring
from formula_docstrings import as_on_the_page
from torch import Tensor, nn, optim

from bookkit.checking.formulas import Binding, Family
from transformer.commands.metrics import bleu
from transformer.config import TransformerConfig
from transformer.costs import forward_flops, parameter_budget, training_bytes
from transformer.costs.budget import count_attention, count_feed_forward, count_norm
from transformer.data.batches import Batch
from transformer.models import DecoderOnlyTransformer
from transformer.training import LabelSmoothingLoss, Trainer, evaluate
from transformer.zoo.gguf.blocks import unpack_q4_1, unpack_q8_0
from transformer.zoo.original import interleave

D, VOCAB, BATCH, LENGTH = 6, 11, 3, 7


def config(encoder: int, decoder: int, **changes: object) -> TransformerConfig:
    """Return a small configuration with so many layers."""
    sizes = {"vocab_size": VOCAB, "d_model": D, "d_ff": 4 * D, "num_heads": 2}
    layers = {"num_encoder_layers": encoder, "num_decoder_layers": decoder}
    return TransformerConfig(**sizes | layers | changes)


def language_model(draw: Draw) -> nn.Module:
    """Return a language model with random parameters."""
    return draw.module(DecoderOnlyTransformer(config(0, 1))).eval()


as_on_the_page("training.optimizers:adam", "eq-training-adamw")


@binds("training.evaluation:evaluate")
def perplexity_of_a_text(draw: Draw) -> Binding:
    model, begin, text = language_model(draw), 2, (3, 1, 4, 10, 5)
    found = evaluate(model, [Batch(None, torch.tensor([[begin, *text]]))])

    def p(token: int, given: str, *read: int) -> float:
        if given != "given":
            raise ValueError("a token must be given those before it")
        read = torch.tensor([[begin, *map(int, read)]])
        return float(model(read)[0, -1].softmax(-1)[int(token)])

    names = {"perplexity": found.perplexity, "n": len(text), "p": p}
    y = Family(lambda t: text[t - 1] if t else None)
    return of_docstring(names | {"y": y}, {"t": range(1, len(text) + 1)})


@binds("training.step:Trainer")
def gradient_of_a_batch(draw: Draw) -> Iterator[Binding]:
    model = language_model(draw).requires_grad_()
    ids = torch.tensor([[2, 3, 1, 4], [2, 5, 9, 3]])
    logits = model(ids[:, :-1]).flatten(0, 1)
    losses = nn.functional.cross_entropy(logits, ids[:, 1:].flatten(), reduction="none")
    parameters = [*model.parameters()]

    def nabla(loss: Tensor) -> np.ndarray:
        """Return the derivatives by all parameters, in one row."""
        found = torch.autograd.grad(loss, parameters, retain_graph=True)
        return torch.cat([one.flatten() for one in found]).numpy()

    def trained(longest: float) -> Tensor:
        """Return the gradient with which the package takes a step."""
        learner = deepcopy(model)
        optimizer = optim.SGD(learner.parameters(), lr=1e-9)
        loss = LabelSmoothingLoss(smoothing=0.0)
        trainer = Trainer(learner, loss=loss, optimizer=optimizer, max_norm=longest)
        trainer.step(Batch(None, ids))
        return torch.cat([one.grad.flatten() for one in learner.parameters()])

    g = trained(1e9)
    for longest in (0.3 * float(g.norm()), 3 * float(g.norm())):
        names = {
            "nabla_theta": nabla,
            "cal L": Family(lambda i: losses[i - 1]),
            "n": len(losses),
            "g": g,
            "g'": trained(longest),
            "c": longest,
        }
        # PyTorch adds a millionth to the length that it divides by.
        yield of_docstring(names, tolerance=1e-5)


@binds("costs.budget:parameter_budget")
def parameters_of_a_model(draw: Draw) -> Iterator[Binding]:
    choices = {"position": "learned", "max_len": 17, "logits_bias": True}
    pooler = D * D + D
    for encoder, decoder, segments, norms, head in (
        (1, 2, 0, 8, VOCAB),
        (0, 4, 0, 8, VOCAB),
        (3, 0, 2, 6, pooler),
    ):
        model = config(encoder, decoder, num_segments=segments, **choices)
        names = {
            "N_e": encoder,
            "N_d": decoder,
            "A": count_attention(model),
            "F": count_feed_forward(model),
            "n": count_norm(model),
            "K": norms,
            "V": VOCAB,
            "S": segments,
            "d_model": D,
            "positions": 17 * D,
            "head": head,
        }
        total = parameter_budget(model, head="pooler").total
        yield of_docstring(names, values=[total])


def kept(layers: int, *, fused: bool) -> int:
    """Return how many numbers an encoder keeps."""
    sizes = {"batch": BATCH, "source": LENGTH, "dtype": torch.float64}
    return training_bytes(config(layers, 0), fused=fused, **sizes).activations // 8


@binds("costs.memory_bytes:training_bytes")
def bytes_of_a_step(draw: Draw) -> Binding:
    layers, numbers = 5, {"batch": BATCH, "source": LENGTH, "dtype": torch.float64}
    model = config(layers, 0)
    found, each = training_bytes(model, **numbers), kept(2, fused=True)
    each -= kept(1, fused=True)
    names = {
        "s": 8,
        "P": parameter_budget(model).total,
        "N": layers,
        "A": each,
        "E": kept(1, fused=True) - each,
        "T": found.passing // 8,
    }
    return of_docstring(names, values=[found.total])


@binds("costs.memory_bytes:training_bytes (2)")
def numbers_that_a_layer_keeps(draw: Draw) -> Binding:
    names = {"b": BATCH, "n": LENGTH, "d": D, "h": 2}
    for kind, fused in (("fused", True), ("formula", False)):
        names[f"A_{kind}"] = kept(2, fused=fused) - kept(1, fused=fused)
    return of_docstring(names)


@binds("costs.operations:forward_flops")
def operations_of_a_product(draw: Draw) -> Binding:
    """Count the product with the matrix of the head."""

    def count(a: np.ndarray, b: np.ndarray) -> int:
        (rows, size), (also, columns) = np.shape(a), np.shape(b)
        if size != also:
            raise ValueError("the matrices must fit")
        head = config(0, 1, d_model=size, vocab_size=columns, num_heads=1)
        return forward_flops(head, target=rows).head

    names = {"FLOPs": count, "m": 5, "k": 6, "n": 7}
    return of_docstring(names | {"A": draw(5, 6), "B": draw(6, 7)})


REFERENCE = "the old dog sleeps in the red house by the sea"


@binds("commands.metrics:bleu")
def score_of_translations(draw: Draw) -> Iterator[Binding]:
    reference = REFERENCE.split()
    for found in (reference[:9], [*reference, "and", "the", "cat"]):
        names = {
            "BLEU": bleu([" ".join(found)], [" ".join(reference)]),
            "r": len(reference),
            "c": len(found),
            "p": Family(lambda n, found=found: shared(found, reference, n)),
        }
        yield of_docstring(names)


def shared(found: list[str], reference: list[str], size: int) -> float:
    """Return the share of sequences of words that a reference has too."""
    one, other = (
        Counter(tuple(words[i : i + size]) for i in range(len(words) - size + 1))
        for words in (found, reference)
    )
    return (one & other).total() / one.total()


def half(*numbers: float) -> bytes:
    """Return numbers in half precision."""
    return np.array(numbers, dtype=np.float16).tobytes()


def unpacked(found: Tensor, numbers: np.ndarray, **names: float) -> Binding:
    """Bind the weights that stand for whole numbers, which are all there are."""
    weights = dict(
        zip(numbers.tolist(), found.double().flatten().tolist(), strict=True)
    )
    letters = {"q": sorted(weights)}
    return of_docstring({"w": lambda q: weights[q]} | names, letters)


@binds("zoo.gguf.blocks:unpack_q8_0")
def weights_of_eight_bits(draw: Draw) -> Binding:
    numbers = np.arange(256, dtype=np.uint8)
    blocks = [
        np.frombuffer(half(0.5) + rows.tobytes(), np.uint8)
        for rows in numbers.reshape(8, 32)
    ]
    found = unpack_q8_0(torch.from_numpy(np.stack(blocks)))
    return unpacked(found, numbers.view(np.int8), s=0.5)


@binds("zoo.gguf.blocks:unpack_q4_1")
def weights_of_four_bits(draw: Draw) -> Binding:
    numbers = np.arange(16, dtype=np.uint8)
    low = np.frombuffer(half(0.5, -3.25) + numbers.tobytes(), np.uint8)
    found = unpack_q4_1(torch.from_numpy(low[None].copy()))[0, :16]
    return unpacked(found, numbers, s=0.5, m=-3.25)


@binds("zoo.original:interleave")
def pairs_of_halves(draw: Draw) -> Binding:
    x = draw(10)
    names = {"y": interleave(x, 0), "x": x, "d": 10}
    return of_docstring(names, {"i": range(5)})
