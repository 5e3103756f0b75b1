"""Bindings for the part on whole models, training and decoding."""

import math
from collections.abc import Callable

import numpy as np
import torch
from formula_bindings import Draw, binds, on_arrays
from torch import Tensor, nn

from bookkit.checking.formulas import Binding, Family
from transformer.blocks import DecoderLayer, EncoderLayer
from transformer.config import TransformerConfig
from transformer.costs import cache_bytes, parameter_budget
from transformer.costs.budget import count_attention, count_feed_forward, count_norm
from transformer.decoding import length_divisor
from transformer.layers import TokenEmbedding, causal_mask
from transformer.models import LanguageModelHead, Transformer
from transformer.training import LabelSmoothingLoss, adam, noam_schedule

D, D_FF, VOCAB, SOURCE, TARGET = 6, 11, 7, 5, 4
CONFIG = TransformerConfig(
    vocab_size=VOCAB,
    num_encoder_layers=2,
    num_decoder_layers=2,
    d_model=D,
    d_ff=D_FF,
    num_heads=2,
)


def attending(layer: nn.Module) -> Callable:
    """Return attention as the formulas write it: of rows, with a mask."""

    def attend(x: np.ndarray, y: np.ndarray, mask: np.ndarray) -> np.ndarray:
        rows = [torch.from_numpy(one)[None] for one in (x, y, y)]
        return layer(*rows, mask=torch.from_numpy(mask)).values[0].numpy()

    return attend


def of_layer(layer: nn.Module, **names: object) -> Binding:
    """Bind the parts of a layer, and what stands after each of them."""
    after: list[Tensor] = []
    for name in ("self_attention", "cross_attention", "feed_forward"):
        residual = getattr(layer, f"{name}_residual", None)
        if residual:
            residual.register_forward_hook(lambda *of: after.append(of[-1][0]))
    x, memory = (names.get(name) for name in "XM")
    inputs = [x[None]] if memory is None else [x[None], memory[None]]
    masks = {"mask": names.get("C", names["R"])}
    if memory is not None:
        masks["memory_mask"] = names["R"]
    layer(*inputs, **masks)
    *between, last = after
    norm = layer.self_attention_residual.norm
    names |= {f"X{(i + 1) * chr(39)}": found for i, found in enumerate(between)}
    names |= {
        "Y": last,
        "Norm": on_arrays(norm),
        "Attn": attending(layer.self_attention),
        "FFN": on_arrays(lambda x: layer.feed_forward(x[None])[0]),
    }
    return Binding(names)


@binds("eq-encdec-encoder-layer")
def encoder_layer(draw: Draw) -> Binding:
    layer = EncoderLayer(CONFIG).double().requires_grad_(requires_grad=False)
    return of_layer(layer, X=draw(SOURCE, D), R=torch.arange(SOURCE)[None] < SOURCE - 2)


@binds("eq-encdec-decoder-layer")
def decoder_layer(draw: Draw) -> Binding:
    """Give both attentions, which the formula writes alike, the same weights."""
    layer = DecoderLayer(CONFIG, cross_attention=True).double()
    layer.cross_attention = layer.self_attention
    return of_layer(
        layer.requires_grad_(requires_grad=False),
        X=draw(TARGET, D),
        M=draw(SOURCE, D),
        R=torch.arange(SOURCE)[None] < SOURCE - 2,
        C=causal_mask(TARGET),
    )


@binds("eq-transformer-head")
def head(draw: Draw) -> Binding:
    embedding, x = draw.module(TokenEmbedding(VOCAB, D)), draw(TARGET, D)
    scored = LanguageModelHead(CONFIG, embedding)
    names = {
        "x": x,
        "logits": scored(x[None])[0],
        "W": scored.projection.weight,
        "U": embedding.embedding.weight,
    }
    return Binding(names, {"t": range(1, TARGET + 1)})


def parts() -> dict[str, int]:
    """Return the sizes of a model, and how many parameters its parts have."""
    return {
        "A": count_attention(CONFIG),
        "F_ffn": count_feed_forward(CONFIG),
        "F_norm": count_norm(CONFIG),
        "N": CONFIG.num_encoder_layers,
        "V": VOCAB,
        "d": D,
        "d_ff": D_FF,
    }


@binds("eq-transformer-parts")
def parameters_of_parts(draw: Draw) -> Binding:
    return Binding(parts())


@binds("eq-transformer-count")
def parameters_of_a_model(draw: Draw) -> Binding:
    return Binding(parts(), values=[parameter_budget(CONFIG).total])


@binds("eq-training-chain")
def loss_of_a_text(draw: Draw) -> Binding:
    """Ask a model for each token by itself, and for the loss of all in one pass."""
    model = Transformer(CONFIG).double().eval().requires_grad_(requires_grad=False)
    source, text = torch.tensor([[3, 1, 4, 6, 5]]), [2, 5, 0, 3]

    def probability(*of: object) -> float:
        cut = of.index("given")
        asked, (x, *read) = [*of[:cut]], of[cut + 1 :]
        if not np.array_equal(x, source):
            raise ValueError("what is given first must be the source")
        if asked == text[1:] and not read:
            logits = model(source, torch.tensor([text[:-1]]))
            labels = torch.tensor([text[1:]])
            return math.exp(-LabelSmoothingLoss(smoothing=0.0).total(logits, labels))
        logits = model(source, torch.tensor([read]))[0, -1]
        return float(logits.softmax(-1)[asked[0]])

    names = {"p_theta": probability, "x": source, "m": len(text) - 1}
    return Binding(names | {"y": np.array(text)}, {"t": range(1, len(text))}, first=0)


def smoothed(draw: Draw) -> dict:
    """Return a smoothed label, a prediction, and the loss of the package."""
    share, label, logits = 0.3, 3, draw(VOCAB)
    spread = torch.full((VOCAB,), share / VOCAB, dtype=torch.float64)
    q = (
        spread
        + (1 - share) * nn.functional.one_hot(torch.tensor(label - 1), VOCAB).double()
    )
    loss = LabelSmoothingLoss(smoothing=share)
    return {
        "cal L": loss(logits[None], torch.tensor([label - 1])),
        "H": lambda q: loss(q.log()[None], torch.tensor([label - 1])).numpy(),
        "p": logits.softmax(0),
        "varepsilon": share,
        "V": VOCAB,
        "y": label,
        "delta": np.eye(VOCAB),
        "a": 1 - share + share / VOCAB,
        "b": share / VOCAB,
        "q": q,
    }


@binds("eq-training-smoothing")
def smoothed_loss(draw: Draw) -> Binding:
    return Binding(smoothed(draw), {"k": range(1, VOCAB + 1)})


@binds("eq-training-entropy")
def least_loss(draw: Draw) -> Binding:
    names = smoothed(draw)
    q, loss = names["q"], names["H"]
    names |= {"q": Family(lambda k: float(q[k - 1])), "H": lambda _: loss(q)}
    return Binding(names, {"k": range(1, VOCAB + 1)})


def trained(draw: Draw, decay: float) -> Binding:
    """Return what Adam does to one number, step by step."""
    module = nn.Linear(1, 1, bias=False).double()
    betas, eps, rate, steps = (0.8, 0.9), 0.07, 0.05, 5
    optimizer = adam(
        module, learning_rate=rate, betas=betas, eps=eps, weight_decay=decay
    )
    g, m, v = [math.nan], [0.0], [0.0]
    theta = [module.weight.item()]
    for gradient in draw(steps):
        module.weight.grad = gradient.view(1, 1)
        optimizer.step()
        state = optimizer.state[module.weight]
        g.append(gradient.item())
        m.append(state["exp_avg"].item())
        v.append(state["exp_avg_sq"].item())
        theta.append(module.weight.item())
    names = {"g": g, "m": m, "v": v, "theta": theta}
    names["hat m"] = [one / (1 - betas[0] ** n) if n else 0 for n, one in enumerate(m)]
    names["hat v"] = [one / (1 - betas[1] ** n) if n else 0 for n, one in enumerate(v)]
    numbers = {"beta_1": betas[0], "beta_2": betas[1], "epsilon": eps, "eta": rate}
    names = {key: np.array(found) for key, found in names.items()} | numbers
    return Binding(names | {"lambda": decay}, {"n": range(1, steps + 1)}, first=0)


@binds("eq-training-averages")
def averages_of_adam(draw: Draw) -> Binding:
    return trained(draw, decay=0.0)


@binds("eq-training-adam")
def step_of_adam(draw: Draw) -> Binding:
    return trained(draw, decay=0.0)


@binds("eq-training-adamw")
def step_with_decay(draw: Draw) -> Binding:
    return trained(draw, decay=0.4)


@binds("eq-training-noam")
def schedule(draw: Draw) -> Binding:
    warmup = 5
    names = {
        "eta": lambda s: noam_schedule(s, d_model=D, warmup=warmup),
        "d": D,
        "w": warmup,
    }
    return Binding(names, {"s": range(1, 3 * warmup)})


@binds("eq-training-noise")
def noise_scale(draw: Draw) -> Binding:
    """Find the size of a batch whose mean gradient has as much noise as signal."""
    gradients = 2 + draw(11, D)
    signal = gradients.mean(0).norm() ** 2
    noise = (gradients - gradients.mean(0)).norm() ** 2 / 11
    names = {
        "B_noise": noise / signal,
        "tr": np.trace,
        "Sigma": gradients.T.cov(correction=0),
        "g": gradients.mean(0),
    }
    return Binding(names)


def written(draw: Draw) -> dict:
    """Return a text, and how probable a model finds each token and the whole."""
    text = [3, 0, 2, 5]
    following = {
        tuple(text[:n]): draw(VOCAB).softmax(0).numpy() for n in range(len(text))
    }

    def probability(token: int, _: str, *before: int) -> float:
        return following[before][token]

    steps = [following[tuple(text[:n])][token] for n, token in enumerate(text)]
    names = {"P": lambda _: math.prod(steps), "p": probability, "Y": text}
    return names | {"y": np.array(text), "n": len(text)}


@binds("eq-decoding-sum")
def score_of_a_text(draw: Draw) -> Binding:
    return Binding(written(draw))


@binds("eq-decoding-penalty")
def penalized_score(draw: Draw) -> Binding:
    names, alpha = written(draw), 0.6

    def score(text: list[int]) -> float:
        return math.log(names["P"](text)) / length_divisor(len(text), alpha)

    names |= {"lp": lambda n: length_divisor(n, alpha), "alpha": alpha, "s": score}
    return Binding(names)


@binds("eq-decoding-bytes")
def bytes_of_a_cache(draw: Draw) -> Binding:
    config = TransformerConfig(
        vocab_size=VOCAB,
        num_encoder_layers=0,
        num_decoder_layers=3,
        d_model=36,
        num_heads=10,
        num_kv_heads=5,
        d_head=7,
    )
    names = {
        "bytes per token": cache_bytes(config, max_len=1, dtype=torch.float16),
        "layers": 3,
        "key heads": 5,
        "d_k": 7,
    }
    return Binding(names)
