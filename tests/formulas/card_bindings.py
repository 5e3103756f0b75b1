"""What binds the fact cards to code: what their names mean, and what comes of it.

The sizes mean the same on each card. `CITED` is a number that only a source can tell,
and its field has the citation.
"""

from dataclasses import replace
from itertools import combinations

import torch
from formula_bindings import Draw, on_arrays
from formula_language_model import LOGARITHMS
from torch import nn

from bookkit.checking.formulas import Binding, Family
from chapters.cost_and_scale.held_bytes import saved_bytes
from transformer import costs, layers
from transformer.blocks import ImageEmbedding
from transformer.config import TransformerConfig
from transformer.costs.operations import count_scores
from transformer.models import DecoderOnlyTransformer, count_parameters
from transformer.training import LoRALinear, best_policy
from transformer.zoo import CONFIGS

CITED = object()
D, HEADS, D_HEAD, D_VALUE, TIME, TARGET, LAYERS, VOCAB = 24, 4, 6, 7, 11, 13, 2, 19
KV_HEADS, EXPERTS, LATENT, TURNED, WINDOW = 2, 5, 17, 3, 4
SIZES = {"d": D, "h": HEADS, "d_k": D_HEAD, "d_v": D_VALUE, "n": TIME, "m": TARGET}
SIZES |= {"L": LAYERS, "V": [*range(VOCAB)], "d_ff": 4 * D, "h_kv": KV_HEADS}
SIZES |= {
    "w": WINDOW,
    "d_c": LATENT,
    "d_r": TURNED,
    "log": LOGARITHMS,
    "k": 3,
    "p": 0.5,
}
CONFIG = TransformerConfig.decoder_only(
    vocab_size=VOCAB,
    d_model=D,
    num_heads=HEADS,
    d_ff=4 * D,
    num_decoder_layers=LAYERS,
    bias=False,
)
BUDGET, OMEGA = costs.parameter_budget(CONFIG), layers.sinusoidal_frequencies(D)
NETWORK = layers.PositionwiseFeedForward(D, 4 * D)
GATED, NARROW = (layers.GatedFeedForward(D, size) for size in (4 * D, 8 * D // 3))
LORA = LoRALinear(nn.Linear(5, 3, bias=False), rank=2)
X = torch.tensor(-0.7).double()
CHANCES = torch.tensor([0.5, 0.125], dtype=torch.float64)


def names(draw: Draw) -> dict[str, dict]:
    """Return what the names of the cards mean beside the sizes."""
    q, k, v = draw(TARGET, D_HEAD), draw(TIME, D_HEAD), draw(TIME, D_VALUE)
    found = layers.scaled_dot_product_attention(q, k, v, need_weights=True)
    heads = projected(
        layers.MultiHeadAttention(D, HEADS), query="Q", key="K", value="V"
    )
    cut = {f"W^{x}": torch.stack(of.split(D_HEAD, 1)) for x, of in heads.items()}
    output = projected(layers.MultiHeadAttention(D, HEADS), output="W^O")
    table = draw.module(layers.TokenEmbedding(VOCAB, D))
    norm = {
        "x": draw(D),
        "g": layers.LayerNorm(D).weight,
        "b": layers.LayerNorm(D).bias,
    }
    stream = {"x": draw(3, D), "n": 2, "N": 4}
    lora = {"W": LORA.linear.weight, "A": LORA.down, "B": LORA.up}
    return {
        "tokens": {"V": [*range(50_257)], "M": 50_000, "S": 1},
        "embedding": {
            "U": table.embedding.weight,
            "O": torch.eye(VOCAB)[:TIME],
            "X": table(torch.arange(TIME)),
        },
        "attention": {"Q": q, "K": k, "V": v, "A": found.weights, "Z": found.values},
        "heads": cut | output | {"H": draw(HEADS, TIME, D_HEAD), "i": 2},
        "masks": {"M": layers.causal_mask(TIME)},
        "sinusoids": {"PE": layers.sinusoidal_table(TIME, D), "omega_i": OMEGA[1]},
        "rotary": {"q": draw(D, 1), "k": draw(D, 1), "R": turned(torch.eye(D)), "t": 3},
        "biases": biased(draw),
        "feed-forward": projected(NETWORK, up="W_up", down="W_down"),
        "activations": {
            "Phi": on_arrays(torch.special.ndtr),
            "sigma": on_arrays(layers.sigmoid),
            "x": X,
        },
        "gates": projected(GATED, gate="W_gate", up="W_up", down="W_down"),
        "experts": {"x": draw(D), "N": EXPERTS},
        "residual": stream,
        "layer-norm": norm,
        "rms-norm": norm,
        "norm-placement": stream,
        "families": {"X": draw(TARGET, D), "M": draw(TIME, D)},
        "loss": {"p": draw(VOCAB), "q": draw(VOCAB), "V": VOCAB},
        "shared-keys": absorbed(draw),
        "windows": {"M": layers.window_mask(TIME, window=WINDOW)},
        "tiles": {"o": found.values[0]},
        "linear": stated(draw),
        "counts": {"N": BUDGET.total - BUDGET.norms},
        "scaling": {"N": 7.0, "D": 140.0, "C": 5880.0},
        "lora": lora | {"a": 3, "b": 5, "r": 2},
        "dpo": preferred(draw),
        "images": seen(draw),
    }


def projected(layer: nn.Module, **parts: str) -> dict[str, torch.Tensor]:
    """Return matrices of a layer under the names that formulas give them."""
    found = {of: getattr(layer, f"{part}_projection") for part, of in parts.items()}
    return {of: part.weight.T for of, part in found.items()}


def turned(unit: torch.Tensor) -> Family:
    turn = layers.RotaryEmbedding(D)
    return Family(lambda t: turn(unit, torch.full((D,), t)))


def absorbed(draw: Draw) -> dict:
    return {"c": draw(LATENT, 1), "W": draw(D_HEAD, LATENT), "q": draw(D_HEAD, 1)}


def biased(draw: Draw) -> dict:
    places, i = torch.arange(TIME), 3
    bias = layers.alibi_bias(8, places, places)[0, i - 1].double()
    q, k = draw(TIME, D_HEAD), draw(TIME, D_HEAD)
    scores = q @ k.T / D_HEAD**0.5 + bias
    found = {"q": q, "k": k, "b": bias, "e": scores, "mu": layers.alibi_slopes(8)}
    return found | {"t": 3, "i": i, "h": 8}


def stated(draw: Draw) -> dict:
    q, k, v = draw(1, 1, 3, D_HEAD), draw(1, 1, 3, D_HEAD), draw(1, 1, 3, D_VALUE)
    state = layers.recurrent_linear_attention(q, k, v).state[0, 0].numpy()
    q, k, v = (x[0, 0, ..., None] for x in (q, k, v))
    return {"q": q, "k": k, "v": v, "S": Family(lambda _: state), "t": 1}


def preferred(draw: Draw) -> dict:
    q, r, beta = draw(4).softmax(-1), draw(4), 0.7
    found = {"p": best_policy(q.log(), r, beta=beta).exp(), "q": q, "r": r, "i": 2}
    return found | {"beta": beta, "Z": (q * (r / beta).exp()).sum()}


def seen(draw: Draw) -> dict:
    sizes = {"image_size": (6, 9), "patch_size": 3, "d_model": D}
    config = TransformerConfig.encoder_only(vocab_size=3, position="learned", **sizes)
    layer, patches = ImageEmbedding(config), layers.patchify(draw(1, 3, 6, 9), 3)[0]
    matrices = {"E": layer.patches.weight.T, "P": layer.positions.embedding.weight}
    return matrices | {"p": patches, "N": 6, "s": 3, "t": 2}


def millions(config: TransformerConfig) -> int:
    """Count the parameters of a model with experts, without making their numbers."""
    with torch.device("meta"):
        return round(count_parameters(DecoderOnlyTransformer(config)) / 1e6)


def counted(model: str) -> int:
    return round(costs.parameter_budget(CONFIGS[model]).total / 1e6)


def kept(*, written: bool) -> int:
    """Count what an attention keeps for its gradient, its weights written or not."""
    wish = {"dtype": torch.float32, "requires_grad": True}
    qkv = [torch.zeros(1, HEADS, TIME, D_HEAD, **wish) for _ in range(3)]
    attend = layers.scaled_dot_product_attention
    return saved_bytes(lambda: attend(*qkv, need_weights=written)) // 4


def cached(heads: int) -> int:
    """Count the numbers that a token leaves in a cache."""
    return costs.cache_bytes(replace(CONFIG, num_kv_heads=heads), max_len=1) // 4


def values() -> dict[str, object]:
    """Return what the expressions of the cards come to, as the package computes it."""
    flops = costs.forward_flops(CONFIG, target=TIME)
    held = costs.training_bytes(CONFIG, target=1)
    learned = costs.training_flops(CONFIG, target=TIME)
    untied = costs.parameter_budget(replace(CONFIG, tie_embeddings=False))
    both = costs.parameter_budget(replace(CONFIG, num_encoder_layers=1))
    attention, network = BUDGET.decoder_attention // 2, BUDGET.decoder_feed_forward // 2
    crossing, scores = both.cross_attention // LAYERS, flops.scores // LAYERS // TIME
    experts = layers.MixtureOfExperts(D, 4 * D, num_experts=EXPERTS)
    expert, router = map(count_parameters, (experts.experts[0], experts.router))
    llama, mistral = CONFIGS["llama-2-7b"], CONFIGS["mistral-7b"]
    mixtral, smol = replace(mistral, num_experts=8), CONFIGS["smollm2-135m"]
    a_token = costs.cache_bytes(llama, max_len=1) // 4
    t5 = costs.parameter_budget(CONFIGS["t5-small"])
    small = costs.parameter_budget(smol)
    latent = layers.LatentCache(1, 1, LATENT, TURNED)
    table, band = (
        layers.sinusoidal_table(TIME, D),
        layers.window_mask(TIME, window=WINDOW),
    )
    reach = torch.linalg.matrix_power(band.double(), LAYERS)
    x, ones, logs = torch.arange(D).double(), torch.ones(TIME), -CHANCES.log2()
    qkv = [torch.zeros(1, 1, 3, size) for size in (D_HEAD, D_HEAD, D_VALUE)]
    state = layers.recurrent_linear_attention(*qkv).state
    odd = next(x for x in range(1, 999, 2) if torch.tensor(x).bfloat16().item() != x)
    cited = ["k = 2", "N = 8", r"\varepsilon = 0.1", r"w = 4{,}000", r"w = 2{,}000"]
    cited += ["20", "70", "1.4", "15", "512 + 64 = 576", "128"]
    return dict.fromkeys(cited, CITED) | {
        # numbers
        "256": odd - 1,
        r"256 + 50{,}000 + 1 = 50{,}257": CONFIGS["gpt2"].vocab_size,
        r"49{,}152 \cdot 576 = 28{,}311{,}552": small.embedding,
        r"134{,}515{,}008": small.total,
        "8": CONFIGS["transformer-base"].num_heads,
        "12": CONFIGS["gpt2"].num_heads,
        "9": smol.num_heads,
        "3": smol.num_kv_heads,
        "32": llama.num_heads,
        "64": CONFIGS["llama-2-70b"].num_heads,
        r"10{,}000": llama.rotary_base,
        r"500{,}000": CONFIGS["llama-3-8b"].rotary_base,
        r"100{,}000": smol.rotary_base,
        r"2 \cdot 32 \cdot 8 = 512": t5.positions,
        "47": round(millions(mixtral) / 1000),
        "13": round(millions(replace(mixtral, num_experts=2)) / 1000),
        r"65{,}504": torch.finfo(torch.float16).max,
        "0.69": round(torch.tensor(2.0).log().item(), 2),
        "10.82": round(torch.tensor(50257.0).log().item(), 2),
        r"4 \cdot 4 = 16": 4 * held.parameters / BUDGET.total,
        r"2 \cdot 32 \cdot 32 \cdot 128 = 262{,}144": a_token,
        r"4{,}096": mistral.window,
        r"32 \cdot 4{,}095 = 131{,}040": 32 * (mistral.window - 1),
        "63": counted("transformer-base"),
        "110": counted("bert-base-uncased"),
        "124": counted("gpt2"),
        "135": counted("smollm2-135m"),
        r"6{,}738": counted("llama-2-7b"),
        r"\frac{1}{2}": CHANCES[0],
        r"\frac{1}{8}": CHANCES[1],
        "2": logs.mean(),
        "4": (-CHANCES.log()).mean().exp(),
        "224": 224,
        "16": 16,
        "(224/16)^2 = 196": layers.patchify(torch.zeros(1, 1, 224, 224), 16).size(1),
        # parameters
        r"\lvert V \rvert\, d": BUDGET.embedding + BUDGET.head,
        r"2\, \lvert V \rvert\, d": untied.embedding + untied.head,
        "4 d^2": attention,
        "8 d^2": network,
        "12 d^2": attention + network,
        "16 d^2": attention + network + crossing,
        "4d": NETWORK.up_projection.out_features,
        "6d": 6 * D,
        "d - 1": (x - x.mean()).square().sum() / x.var(),
        "2d": count_parameters(layers.LayerNorm(D)),
        r"2\, d\, d_{\mathrm{ff}} + d_{\mathrm{ff}} + d": count_parameters(NETWORK),
        r"3\, d\, d_{\mathrm{ff}}": count_parameters(GATED),
        r"\tfrac83 d": NARROW.up_projection.out_features,
        r"3 d \cdot \tfrac83 d = 8 d^2": count_parameters(NARROW),
        r"N\,(3\, d\, d_{\mathrm{ff}} + d)": count_parameters(experts),
        r"3\, k\, d\, d_{\mathrm{ff}} + N d": 3 * expert + router,
        r"12\, L\, d^2 + \lvert V \rvert\, d": BUDGET.total - BUDGET.norms,
        r"r\,(a + b)": LORA.up.numel() + LORA.down.numel(),
        r"a\, b": LORA.linear.weight.numel(),
        # operations
        r"2\, d\, \lvert V \rvert": flops.head // TIME,
        r"4\, m\, n\, d": count_scores(CONFIG, TARGET, TIME),
        r"4\, n\, d\, d_{\mathrm{ff}}": flops.feed_forward // LAYERS,
        "4nd": scores,
        "n = 4d": Binding({"n": 2 * network * TIME // scores, "d": D}),
        "n = 6d": Binding({"n": 2 * (attention + network) * TIME // scores, "d": D}),
        "2N": (flops.total - flops.scores) // TIME,
        "6N": (learned.total - learned.scores) // TIME,
        "n^2": layers.causal_mask(TIME).numel(),
        "n(n+1)/2": layers.causal_mask(TIME).sum(),
        "n(n+1)(2n+1)/6": ones.cumsum(0).square().sum(),
        # numbers that are held
        r"\sqrt{d}": layers.TokenEmbedding(VOCAB, D, scale=True).scale,
        r"m\, n": layers.causal_mask(TIME, TARGET).numel(),
        r"h\, n^2": kept(written=True) - 3 * table.numel(),
        r"n\, d": table.numel(),
        r"n\, V": TIME * VOCAB,
        "d/2": len(layers.sinusoidal_frequencies(D)),
        r"2\, L\, h_{\mathrm{kv}}\, d_k": cached(KV_HEADS),
        r"2\, h\, d_k": cached(HEADS) // LAYERS,
        r"2\, h_{\mathrm{kv}}\, d_k": cached(KV_HEADS) // LAYERS,
        "d_c + d_r": latent.keys.numel() + latent.values.numel(),
        "w - 1": band[-1].sum() - 1,
        "L(w - 1)": (reach[-1] > 0).sum() - 1,
        r"4\, n\, d + h\, n": kept(written=False),
        r"3\, n\, d + h\, n^2": kept(written=True),
        r"d_k\, d_v": state.numel(),
        # values
        r"\omega_i k": torch.atan2(*table[3, 2:4]) - torch.atan2(*table[0, 2:4]),
        r"\Phi(x)": layers.gelu(X) / X,
        r"\sigma(x)": layers.silu(X) / X,
        "2^N - 1": sum(len([*combinations(range(4), k)]) for k in range(1, 5)),
        r"\ln V": nn.functional.cross_entropy(
            torch.zeros(1, VOCAB).double(), ones[:1].long()
        ),
        r"\mathrm{e}": torch.tensor(1.0).double().exp(),
        r"-\ln p": logs[0] * torch.tensor(2.0).double().log(),
        r"-\log_2 p": logs[0],
    }
