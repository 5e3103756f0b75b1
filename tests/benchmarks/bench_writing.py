"""Texts and translations: our decoders against those of Hugging Face."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial

import torch
from bench_case import Call, Case, Sides
from bench_language import build_models
from bench_sizes import Sizes
from torch import Tensor, nn

from transformer import zoo
from transformer.decoding import beam_search, greedy_decode
from transformer.models import quantize_weights

SMALL_LLAMA = {False: 0.75, True: 0.50}  # the ratios aimed at, by whether compiled
SMOLLM2 = {False: 0.95, True: 0.85}
BOTH_COMPILED, EIGHT_BITS, FIRST_TOKEN, TRANSLATION = 1.00, 0.60, 1.00, 0.75


@dataclass(frozen=True)
class Writers:
    """A model of ours and the same one of Hugging Face, and what they go on with."""

    ours: nn.Module
    theirs: nn.Module
    prompt: Tensor

    def we(self, new: int, **options: object) -> Call:
        """Return a call by which our model writes so many tokens."""

        def write() -> Tensor:
            added = greedy_decode(self.ours, self.prompt, max_new_tokens=new, **options)
            return torch.cat((self.prompt, added), dim=1)

        return write

    def they(self, new: int, **options: object) -> Call:
        """Return a call by which the reference does."""
        return partial(
            self.theirs.generate,
            self.prompt,
            attention_mask=torch.ones_like(self.prompt),
            max_new_tokens=new,
            do_sample=False,
            use_cache=True,
            **options,
        )


def writing_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield texts of a small Llama and of a larger one, then translations."""
    same = {"tolerance": 0.0}  # tokens
    new, llama = sizes.new_tokens, partial(small_llama, sizes)
    for kv_heads in (sizes.language_kv_heads, sizes.language_heads):
        yield Case(
            name=f"Llama, {new} new tokens, {kv_heads} key heads",
            reference="Hugging Face",
            build=partial(build_texts, partial(llama, kv_heads), new),
            aim=SMALL_LLAMA[False],
            tokens=new,
            **same,
        )
    if sizes.compiled:
        few = partial(llama, sizes.language_kv_heads)
        for reference, options, aim in (
            ("Hugging Face", {}, SMALL_LLAMA[True]),
            ("the same with static cache", {"static": True}, BOTH_COMPILED),
        ):
            yield Case(
                name=f"Llama, {new} new tokens, compiled",
                reference=reference,
                build=partial(build_texts, few, new, compiled=True, **options),
                aim=aim,
                tokens=new,
                **same,
            )
    yield from larger_cases(sizes)
    for width in (1, sizes.beam_width):
        way = f"beam {width}" if width > 1 else "greedy"
        yield Case(
            name=f"translator, batch {sizes.translated}, {way}",
            reference="Marian, Hugging Face",
            build=partial(build_translations, sizes, width),
            aim=TRANSLATION,
            **same,
        )


def larger_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield what a model as large as SmolLM2 writes, if it is wanted."""
    if not sizes.larger_tokens:
        return
    new, same = sizes.larger_tokens, {"tolerance": 0.0}
    written = {"tokens": new, **same}
    for compiled in (False, True) if sizes.compiled else (False,):
        name = f"SmolLM2, {new} new tokens{', compiled' if compiled else ''}"
        yield Case(
            name=name,
            reference="Hugging Face",
            build=partial(build_texts, smollm2, new, compiled=compiled),
            aim=SMOLLM2[compiled],
            **written,
        )
        yield Case(
            name=name,
            reference="ceiling: reading all weights",
            build=partial(build_reading, new, compiled=compiled),
            **written,
        )
    yield Case(
        name=f"SmolLM2, {new} new tokens, eight bits",
        reference="ours in float32",
        build=partial(build_eight_bits, new),
        aim=EIGHT_BITS,
        tolerance=0.1,  # of logits
        tokens=new,
    )
    long = sizes.larger_prompt
    yield Case(
        name=f"SmolLM2, first token after {long:,}",
        reference="Hugging Face",
        build=partial(build_texts, partial(smollm2, length=long), 1),
        aim=FIRST_TOKEN,
        **same,
    )


def small_llama(sizes: Sizes, kv_heads: int, device: torch.device) -> Writers:
    """Return models of ours and of Hugging Face, and random ids to go on with."""
    prompt = torch.randint(sizes.vocab_size, (1, sizes.prompt), device=device)
    return Writers(*build_models(sizes, kv_heads, device), prompt)


def smollm2(device: torch.device, length: int = 16) -> Writers:
    """Return models of the sizes of SmolLM2; the weights do not change the time."""
    config = zoo.CONFIGS["smollm2-135m"]
    sizes = Sizes(
        vocab_size=config.vocab_size,
        language_d_model=config.d_model,
        language_d_ff=config.d_ff,
        language_layers=config.num_decoder_layers,
        language_heads=config.num_heads,
        prompt=length,
    )
    return small_llama(sizes, config.num_kv_heads, device)


def build_texts(
    make: Callable[[torch.device], Writers],
    new: int,
    device: torch.device,
    *,
    compiled: bool = False,
    static: bool = False,
) -> Sides:
    """Build the writing of a text, always the likeliest token."""
    writers, options = make(device), {}
    if static:
        from transformers import CompileConfig

        setting = CompileConfig(mode="default", fullgraph=True)
        setting._compile_all_devices = True  # else on a GPU alone
        options = {"cache_implementation": "static", "compile_config": setting}
    return Sides(
        ours=writers.we(new, compile=compiled), reference=writers.they(new, **options)
    )


def build_reading(new: int, device: torch.device, *, compiled: bool = False) -> Sides:
    """Build the writing of a text, and the reading of all weights for each token.

    A token of a single text multiplies each weight once, so that no token comes sooner
    than the weights can be read from memory.
    """
    writers = smollm2(device)
    ours, theirs = writers.we(new, compile=compiled), writers.they(new)
    parameters = writers.ours.parameters()  # a matrix that is shared comes once
    weights = torch.cat([parameter.detach().flatten() for parameter in parameters])
    return Sides(ours=ours, reference=weights.sum, compared=(ours, theirs), work=new)


def build_eight_bits(new: int, device: torch.device) -> Sides:
    """Build the writing of a text with weights of eight bits, and with floats."""
    floats = smollm2(device)
    bytes_ = replace(floats, ours=quantize_weights(deepcopy(floats.ours)))
    read = [torch.inference_mode()(partial(w.ours, w.prompt)) for w in (bytes_, floats)]
    return Sides(ours=bytes_.we(new), reference=floats.we(new), compared=tuple(read))


def build_translations(sizes: Sizes, width: int, device: torch.device) -> Sides:
    """Build the translation of short sentences by a model as small as the book's."""
    from transformers import MarianConfig, MarianMTModel

    parts = {"layers": 2, "ffn_dim": 4 * sizes.translator_d_model, "attention_heads": 4}
    stacks = {f"{s}_{k}": v for s in ("encoder", "decoder") for k, v in parts.items()}
    length, end = sizes.translated_length, 1
    config = MarianConfig(
        vocab_size=sizes.translator_words,
        d_model=sizes.translator_d_model,
        max_position_embeddings=4 * length,
        activation_function="relu",
        scale_embedding=True,
        dropout=0.0,
        bos_token_id=end,
        eos_token_id=end,
        pad_token_id=0,
        forced_eos_token_id=None,
        decoder_start_token_id=0,
        **stacks,
    )
    theirs = MarianMTModel(config).to(device).eval()
    theirs.generation_config.eos_token_id = None  # none ends early
    ours = zoo.from_hugging_face(theirs)
    shape = (sizes.translated, length)
    source = torch.randint(2, sizes.translator_words, shape, device=device)
    new = {"max_new_tokens": length}

    def translate() -> Tensor:
        if width == 1:
            return greedy_decode(ours, source, bos_id=0, **new)
        options = {"beam_width": width, "length_penalty": 0.0, "bos_id": 0}
        return beam_search(ours, source, **options, **new).tokens[:, 0]

    def reference() -> Tensor:
        options = {"num_beams": width, "length_penalty": 0.0} if width > 1 else {}
        return theirs.generate(source, do_sample=False, **options, **new)[:, 1:]

    return Sides(ours=translate, reference=reference)
