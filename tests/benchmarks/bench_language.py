"""Our Llama against the one of Hugging Face, with the same random weights."""

from collections.abc import Iterator
from functools import partial

import torch
from bench_case import Case, Sides
from bench_sizes import Sizes
from torch import nn

from transformer.models import DecoderOnlyTransformer
from transformer.zoo.llama import from_hugging_face

SEQUENCES = 4


def language_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield the forward pass at each length."""
    for length in sizes.lengths:
        yield Case(
            name=f"Llama, {length} tokens, inference",
            reference="Hugging Face",
            build=partial(build_forward, sizes, length),
        )


def build_models(
    sizes: Sizes, kv_heads: int, device: torch.device
) -> tuple[DecoderOnlyTransformer, nn.Module]:
    """Return our model and the reference."""
    # Imported here: it takes seconds, and most cases do without.
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=sizes.vocab_size,
        hidden_size=sizes.language_d_model,
        intermediate_size=sizes.language_d_ff,
        num_hidden_layers=sizes.language_layers,
        num_attention_heads=sizes.language_heads,
        num_key_value_heads=kv_heads,
        max_position_embeddings=max(*sizes.lengths, sizes.prompt + sizes.new_tokens),
        attn_implementation="sdpa",
        bos_token_id=None,
        eos_token_id=None,  # no token ends the text early
    )
    theirs = LlamaForCausalLM(config).to(device).eval()
    return from_hugging_face(theirs), theirs


def build_forward(sizes: Sizes, length: int, device: torch.device) -> Sides:
    """Build the computation of the logits of whole sequences."""
    ours, theirs = build_models(sizes, sizes.language_kv_heads, device)
    tokens = torch.randint(sizes.vocab_size, (SEQUENCES, length), device=device)
    quiet = torch.inference_mode()
    return Sides(
        ours=quiet(partial(ours, tokens)),
        reference=quiet(lambda: theirs(tokens, use_cache=False).logits),
    )
