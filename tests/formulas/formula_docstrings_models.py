"""Bindings for the docstrings of blocks and of whole models."""

from collections.abc import Callable

import numpy as np
import torch
from formula_architecture import of_layer
from formula_bindings import Draw, StandIn, binds, of_docstring, on_arrays
from torch import Tensor, nn

from bookkit.checking.formulas import Binding, Family
from transformer.blocks import (
    Decoder,
    DecoderLayer,
    Encoder,
    EncoderLayer,
    ParallelLayer,
)
from transformer.blocks.inputs import InputEmbedding
from transformer.config import TransformerConfig
from transformer.layers import TokenEmbedding, causal_mask, relu
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    MaskedLanguageModelHead,
    Pooler,
    Transformer,
)

D, VOCAB, TIME, SOURCE = 6, 11, 5, 7


def config(**changes: object) -> TransformerConfig:
    """Return a small configuration of an encoder-decoder, or a changed one."""
    sizes = {"vocab_size": VOCAB, "d_model": D, "d_ff": 13, "num_heads": 2}
    layers = {"num_encoder_layers": 3, "num_decoder_layers": 3, "max_len": 17}
    return TransformerConfig(**sizes | layers | changes)


def built(draw: Draw, kind: Callable[..., nn.Module], *of: object) -> nn.Module:
    """Build a part, without dropout, and give it random parameters."""
    return draw.module(kind(*of)).eval()


def on_rows(module: Callable[..., Tensor]) -> Callable[..., np.ndarray]:
    """Let a module that takes batches take and return the rows of one sequence."""

    def computed(*of: np.ndarray) -> np.ndarray:
        return module(*(torch.as_tensor(one)[None] for one in of))[0].numpy()

    return computed


def residuals(layer: nn.Module, page: Binding) -> Binding:
    """Bind a layer as a chain of residual connections, each with its branch."""

    def multi_head(*of: object) -> Callable:
        """Return attention to what stands in the place of keys and values."""
        dot, *seen = of
        if dot != "any" or not hasattr(layer, "cross_attention"):
            raise ValueError("a dot stands for what asks, if there is a memory")
        return lambda x: on_memory(x, *map(torch.tensor, seen))

    def on_memory(x: Tensor, *seen: Tensor) -> Tensor:
        return layer.cross_attention(*(one[None] for one in (x, *seen))).values[0]

    def itself(x: Tensor) -> Tensor:
        return layer.self_attention(x[None], x[None], x[None]).values[0]

    def feed_forward(x: Tensor) -> Tensor:
        return layer.feed_forward(x[None])[0]

    def add(x: np.ndarray, branch: Callable) -> np.ndarray:
        kinds = {multi_head: "self_attention", feed_forward: "feed_forward"}
        residual = getattr(layer, f"{kinds.get(branch, 'cross_attention')}_residual")
        sublayer = itself if branch is multi_head else branch
        return residual(torch.tensor(x), sublayer).numpy()

    names = {"Residual": add, "MultiHead": multi_head, "FFN": feed_forward}
    return of_docstring({**page.names, **names})


@binds("blocks.encoder:EncoderLayer")
def encoder_layer(draw: Draw) -> Binding:
    layer, all_seen = built(draw, EncoderLayer, config()), torch.ones(1, TIME) > 0
    return residuals(layer, of_layer(layer, X=draw(TIME, D), R=all_seen))


@binds("blocks.decoder_layer:DecoderLayer")
def decoder_layer(draw: Draw) -> Binding:
    layer = draw.module(DecoderLayer(config(), cross_attention=True)).eval()
    own, memory = torch.ones(1, TIME) > 0, torch.ones(1, SOURCE) > 0
    rows = {"X": draw(TIME, D), "M": draw(SOURCE, D), "C": own, "R": memory}
    return residuals(layer, of_layer(layer, **rows))


@binds("blocks.decoder_layer:ParallelLayer")
def parallel_layer(draw: Draw) -> Binding:
    choices = {"norm_placement": "pre", "parallel_residual": True}
    layer, x = built(draw, ParallelLayer, config(**choices)), draw(TIME, D)
    names = {
        "X": x,
        "Y": layer(x[None])[0],
        "MultiHead": on_rows(lambda x: layer.self_attention(x, x, x).values),
        "FFN": on_rows(layer.feed_forward),
        "Norm_1": on_rows(layer.self_attention_residual.norm),
        "Norm_2": on_rows(layer.feed_forward_residual.norm),
    }
    return of_docstring(names)


def stacked(stack: nn.Module, x: Tensor, *memory: Tensor) -> Binding:
    """Bind the layers of a stack, and what stands before and after each of them."""
    states, name = [x], type(stack.layers[0]).__name__
    for layer in stack.layers:
        layer.register_forward_hook(lambda *of: states.append(of[-1][0]))
    stack(x[None], *(one[None] for one in memory))
    mask = causal_mask(TIME) if memory else None
    before, layers = tuple(states), tuple(stack.layers)

    def of_number(number: int) -> Callable:
        layer = layers[number - 1] if number else None
        return on_rows(lambda *of: layer(*of, mask=mask))

    names = {"X": Family(lambda number: before[number].numpy())}
    names |= {name: Family(of_number, functions=True), "N": len(layers)}
    names |= dict(zip("M", memory, strict=False))
    return of_docstring(names, {"l": range(1, len(layers) + 1)})


@binds("blocks.encoder:Encoder")
def stack_of_encoder_layers(draw: Draw) -> Binding:
    return stacked(built(draw, Encoder, config()), draw(TIME, D))


@binds("blocks.decoder:Decoder")
def stack_of_decoder_layers(draw: Draw) -> Binding:
    decoder = draw.module(Decoder(config(), cross_attention=True)).eval()
    return stacked(decoder, draw(TIME, D), draw(SOURCE, D))


@binds("blocks.inputs:InputEmbedding")
def what_is_known_of_tokens(draw: Draw) -> Binding:
    choices = {"num_segments": 3, "position": "learned", "scale_embeddings": True}
    choices |= {"norm_embeddings": True, "num_decoder_layers": 0}
    layer = built(draw, InputEmbedding, config(**choices))
    layer.dropout = StandIn()
    ids, segments = torch.tensor([3, 1, 4, 10, 5]), torch.tensor([0, 2, 1, 1, 0])
    names = {
        "x": layer(ids[None], segments=segments[None])[0],
        "Dropout": on_arrays(StandIn()),
        "Norm": on_arrays(layer.norm),
        "s": D**0.5,
        "U": layer.tokens.embedding.weight,
        "G": layer.segments.embedding.weight,
        "P": layer.positions.embedding.weight,
        "id": ids,
        "segment": segments,
    }
    return of_docstring(names, {"t": range(TIME)})


@binds("models.decoder_only:DecoderOnlyTransformer")
def language_model(draw: Draw) -> Binding:
    model = built(draw, DecoderOnlyTransformer, config(num_encoder_layers=0))
    names = {
        "logits": on_rows(model)(TARGET),
        "tokens": TARGET,
        "Embed": on_rows(model.embedding),
        "Decoder": on_rows(model.decoder),
        "Head": on_rows(model.head),
    }
    return of_docstring(names)


TARGET, READ = np.array([3, 1, 4, 10, 5]), np.array([2, 7, 1, 8])


@binds("models.encoder_only:EncoderOnlyTransformer")
def encoder_model(draw: Draw) -> Binding:
    model = built(draw, EncoderOnlyTransformer, config(num_decoder_layers=0))
    names = {
        "tokens": TARGET,
        "H": on_rows(model.encode)(TARGET),
        "Y": on_rows(model)(TARGET),
        "Embed": on_rows(model.embedding),
        "Encoder": on_rows(model.encoder),
        "Head": on_rows(model.head),
    }
    return of_docstring(names)


@binds("models.seq2seq:Transformer")
def translator(draw: Draw) -> Binding:
    model = built(draw, Transformer, config())
    names = {
        "source": READ,
        "target": TARGET,
        "M": on_rows(model.encode)(READ),
        "logits": on_rows(model)(READ, TARGET),
        "Embed": on_rows(model.embedding),
        "Encoder": on_rows(model.encoder),
        "Decoder": on_rows(model.decoder),
        "Head": on_rows(model.head),
    }
    return of_docstring(names)


@binds("models.heads:MaskedLanguageModelHead")
def masked_head(draw: Draw) -> Binding:
    embedding, x = draw.module(TokenEmbedding(VOCAB, D)), draw(TIME, D)
    sizes = config(num_decoder_layers=0, logits_bias=True)
    head = built(draw, MaskedLanguageModelHead, sizes, embedding)
    names = {
        "logits": head(x[None])[0],
        "x": x,
        "Norm": on_arrays(head.norm),
        "phi": on_arrays(relu),
        "W": head.transform.weight.T,
        "b": head.transform.bias,
        "U": head.output.projection.weight,
        "c": head.output.projection.bias,
    }
    return of_docstring(names, {"t": range(TIME)})


@binds("models.heads:Pooler")
def first_position(draw: Draw) -> Binding:
    pooler, x = built(draw, Pooler, config()), draw(TIME, D)
    names = {"y": pooler(x[None])[0], "x": x, "W": pooler.projection.weight.T}
    return of_docstring(names | {"b": pooler.projection.bias})
