"""Names: which there are in a room, and which one was meant.

The command line asks too, before anything large is imported.
"""

from collections.abc import Callable, Collection
from difflib import get_close_matches

# What others, mostly Hugging Face and PyTorch, call the same; the first one that is
# known where it is asked for is meant. Similar spellings are found without.
OTHER_NAMES = {
    "rope": ("rotary",),
    # sizes and choices of a model
    "embed_dim": ("d_model",),
    "hidden_size": ("d_model",),
    "n_embd": ("d_model",),
    "dim_feedforward": ("d_ff",),
    "intermediate_size": ("d_ff",),
    "n_inner": ("d_ff",),
    "head_dim": ("d_head",),
    "dim": ("d_model", "d_head"),
    "normalized_shape": ("d_model",),
    "nhead": ("num_heads", "heads"),
    "num_attention_heads": ("num_heads", "heads"),
    "num_key_value_heads": ("num_kv_heads",),
    "num_hidden_layers": ("num_decoder_layers", "layers"),
    "n_layer": ("num_decoder_layers", "layers"),
    "num_layers": ("num_decoder_layers", "num_encoder_layers", "layers"),
    "max_position_embeddings": ("max_len",),
    "n_ctx": ("max_len",),
    "n_positions": ("max_len",),
    "hidden_act": ("activation",),
    "rope_theta": ("rotary_base",),
    "layer_norm_eps": ("norm_eps", "eps"),
    "layer_norm_epsilon": ("norm_eps", "eps"),
    "rms_norm_eps": ("norm_eps", "eps"),
    "pad_token_id": ("pad_id",),
    # what a model is given
    "input_ids": ("tokens", "source"),
    "decoder_input_ids": ("target",),
    "attention_mask": ("mask", "source_mask"),
    "attn_mask": ("mask",),
    "past_key_values": ("cache",),
    "token_type_ids": ("segments",),
    "output_attentions": ("need_weights",),
    # decoding
    "max_length": ("max_new_tokens", "max_len"),
    "do_sample": ("temperature",),
    "num_beams": ("beam_width",),
    "assistant_model": ("draft",),
    "eos_token_id": ("eos_id",),
    "bos_token_id": ("bos_id",),
    "start_id": ("bos_id",),
    # training and loading
    "lr": ("learning_rate",),
    "epochs": ("steps",),
    "bf16": ("bfloat16",),
    "fp16": ("float16",),
    "half": ("float16",),
    "fp32": ("float32",),
    "label_smoothing": ("smoothing",),
    "map_location": ("device",),
    "from_pretrained": ("zoo.load",),
    "pipeline": ("generate",),
    "AutoModel": ("zoo.load",),
    "AutoModelForCausalLM": ("zoo.load",),
    "GPT2": ("zoo.load",),
    "GPT2Model": ("zoo.load",),
    "GPT2LMHeadModel": ("zoo.load",),
    "BertModel": ("zoo.load",),
    "LlamaForCausalLM": ("zoo.load",),
    "AutoConfig": ("TransformerConfig",),
    "AutoTokenizer": ("SubwordTokenizer",),
}


def meant(value: object, names: Collection[object]) -> str:
    """Return the question whether a similar name was meant, or nothing."""
    word = str(value)
    known = [name for name in names if isinstance(name, str)]
    same = [name for name in OTHER_NAMES.get(word, ()) if name in known]
    longer = [name for name in known if name.startswith((f"{word}_", f"{word}-"))]
    close = same or longer or _spelled_like(word, known)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _spelled_like(word: str, known: Collection[str]) -> list[str]:
    """Return the name that is spelled like a word; an owner and capitals aside."""
    small = {name.lower(): name for name in known}
    bare = word.rpartition("/")[2].lower()
    found = get_close_matches(word, known, n=1)
    return found or [small[name] for name in get_close_matches(bare, small, n=1)]


class UnknownNameError(KeyError):
    """A dictionary does not have a name; the message says which ones it has."""

    def __str__(self) -> str:
        return self.args[0]  # that of a KeyError stands in quotes


class Named(dict):
    """A dictionary of this package that, asked for another name, says which it has."""

    def __missing__(self, name: object) -> None:
        raise UnknownNameError(
            f"the name must be one of {', '.join(map(str, self))}, got {name!r}"
            f"{meant(name, self)}; choose one of them."
        )


def room(
    module: str, names: Collection[str]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the `__getattr__` and the `__dir__` of a room.

    Args:
        module: The name of the room.
        names: What it exports.
    """

    def missing(name: str) -> object:
        raise AttributeError(no_such_name(module, name, names))

    return missing, lambda: sorted(names)


def no_such_name(module: str, name: str, names: Collection[str]) -> str:
    """Return the sentence for a name that a module does not have."""
    said = f"module {module!r} has no attribute {name!r}"
    if name.startswith("_"):  # asked for by Python and its tools
        return said
    return f"{said}{meant(name, names)}; dir({module}) lists what there is."
