"""Our Llama against the one of Hugging Face, with the same random weights."""

from collections.abc import Iterator
from functools import partial

import torch
from bench_case import Case, Sides
from bench_sizes import Sizes
from torch import Tensor, nn

from transformer.decoding import greedy_decode
from transformer.models import DecoderOnlyTransformer
from transformer.zoo.llama import from_hugging_face

GENERATION = 0.65  # the ratio aimed at
SEQUENCES = 4  # for the forward pass; text is generated one at a time


def language_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield the forward pass at each length, then generation with a cache."""
    for length in sizes.lengths:
        yield Case(
            name=f"Llama, {length} tokens, inference",
            reference="Hugging Face",
            build=partial(build_forward, sizes, length),
        )
    for kv_heads in (sizes.language_kv_heads, sizes.language_heads):
        yield Case(
            name=f"Llama, {sizes.new_tokens} new tokens, cache, {kv_heads} key heads",
            reference="Hugging Face",
            build=partial(build_generation, sizes, kv_heads),
            aim=GENERATION,
            tolerance=0.0,  # tokens
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


def build_generation(sizes: Sizes, kv_heads: int, device: torch.device) -> Sides:
    """Build the writing of a text, token after token, always the likeliest."""
    ours, theirs = build_models(sizes, kv_heads, device)
    prompt = torch.randint(sizes.vocab_size, (1, sizes.prompt), device=device)
    theirs_at_once = partial(
        theirs.generate,
        prompt,
        attention_mask=torch.ones_like(prompt),
        max_new_tokens=sizes.new_tokens,
        do_sample=False,
        use_cache=True,
    )

    def ours_at_once() -> Tensor:
        new = greedy_decode(ours, prompt, max_new_tokens=sizes.new_tokens)
        return torch.cat((prompt, new), dim=1)

    return Sides(ours=ours_at_once, reference=theirs_at_once)
