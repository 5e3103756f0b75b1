"""Explorer: what one token costs in four models, by the weights and by the text."""

import torch

from chapters.shared.explorer.frame import Explorer, choice
from transformer.costs import cache_bytes, step_flops
from transformer.zoo import CONFIGS

MODELS = {
    "smollm2-135m": "SmolLM2 135M",
    "gpt2": "GPT-2",
    "llama-2-7b": "Llama 2 7B",
    "llama-3.1-8b": "Llama 3.1 8B",
}
PARTS = {"projections": "projections", "feed_forward": "network", "head": "last matrix"}


def show() -> Explorer:
    """Show two stacks to scale, and let a reader drag the one that is the text."""
    return Explorer(
        chapter="cost_and_scale",
        name="cost_and_scale",
        title="the operations of one token, by weights and by text, in four models",
        instruction="Drag the length of the text up, until its stack is as high as "
        "that of the weights. Then choose another model: two of the four have no text "
        "so long.",
        controls=[choice("model", "model", MODELS, value="smollm2-135m")],
        data={"parts": PARTS, "models": {name: count(name) for name in MODELS}},
        uses=("drag",),
    )


def count(name: str) -> dict:
    """Count the operations of a token, and what each position before it adds.

    Args:
        name: Of a configuration of the zoo.
    """
    config, first = CONFIGS[name], step_flops(CONFIGS[name], held=0)
    cache = cache_bytes(config, max_len=1, dtype=torch.bfloat16)
    return {
        "name": MODELS[name],
        "flops": {part: first.parts[part] for part in PARTS},
        "position": first.scores,
        "longest": config.max_len,
        "cache": cache,
    }
