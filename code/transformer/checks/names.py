"""Names: which there are in a room, and which one was meant.

The command line asks too, before anything large is imported.
"""

import re
import sys
from collections.abc import Callable, Collection
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec

# What others, mostly Hugging Face and PyTorch, call the same; those that are known
# where it is asked for are meant. Similar spellings are found without.
OTHER_NAMES = {
    "rope": ("rotary",),
    "swish": ("silu",),
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
    "num_hidden_layers": ("num_decoder_layers", "num_encoder_layers", "layers"),
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
    "key_padding_mask": ("mask",),
    "src_key_padding_mask": ("source_mask", "mask"),
    "tgt_key_padding_mask": ("target_mask",),
    "attn_mask": ("mask",),
    "past_key_values": ("cache",),
    "token_type_ids": ("segments",),
    "output_attentions": ("need_weights",),
    # decoding
    "max_length": ("max_new_tokens", "max_len"),
    "do_sample": ("temperature",),
    "num_beams": ("beam_width",),
    "assistant_model": ("draft",),
    "streamer": ("watch",),
    "stop": ("eos_id",),
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
    "gpt2-small": ("gpt2",),
    "load_dataset": ("load_corpus",),
    "DataLoader": ("TrainingBatches",),
    "TrainingArguments": ("Trainer",),
    "FeedForward": ("PositionwiseFeedForward",),
    "Attention": ("layers.MultiHeadAttention", "MultiHeadAttention"),
    "SelfAttention": ("layers.MultiHeadAttention", "MultiHeadAttention"),
    "MultiheadAttention": ("layers.MultiHeadAttention", "MultiHeadAttention"),
    "TransformerEncoder": ("EncoderOnlyTransformer",),
    "TransformerDecoder": ("DecoderOnlyTransformer",),
    "TransformerEncoderLayer": ("blocks.EncoderLayer", "EncoderLayer"),
    "TransformerDecoderLayer": ("blocks.DecoderLayer", "DecoderLayer"),
    "EncoderDecoder": ("Transformer",),
    "Config": ("TransformerConfig",),
}

# How the classes of a family begin at Hugging Face, and a published model of it.
_FAMILIES = {
    "auto": "gpt2",
    "bert": "bert-base-uncased",
    "gptneox": "pythia-160m",
    "gpt": "gpt2",
    "llama": "llama-3.2-1b",
    "mistral": "mistral-7b",
    "smollm": "smollm2-135m",
    "t5": "t5-small",
}
_CLASS = re.compile(
    rf"(?=[A-Z])(?i:({'|'.join(_FAMILIES)})\w*?(tokenizer(?:fast)?|config)?)"
)


def meant(value: object, names: Collection[object]) -> str:
    """Return the question whether a similar name was meant, or nothing."""
    word = str(value)
    known = [name for name in names if isinstance(name, str)]
    same = [name for name in OTHER_NAMES.get(word, ()) if name in known]
    longer = [name for name in known if name.startswith((f"{word}_", f"{word}-"))]
    close = same or (longer or _spelled_like(word, known))[:1]
    return f" (did you mean {' or '.join(map(repr, close))}?)" if close else ""


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
    """Return the `__getattr__` and the `__dir__` of a room; its exports explain calls.

    Args:
        module: The name of the room.
        names: What it exports.
    """
    if module in sys.modules:
        calls = import_module("transformer.checks.calls")  # which asks what is meant
        calls.explain_exports(module, names)

    def missing(name: str) -> object:
        raise missing_name(module, name, meant(name, names))

    return missing, lambda: sorted(names)


def missing_name(module: str, name: str, near: str) -> ImportError | AttributeError:
    """Return the error for a name that a module does not have.

    Python forgets what an `AttributeError` says where a name is imported from a module,
    so there it is an `ImportError`, unless the name is that of a module below.

    Args:
        module: The module that is asked.
        name: The name.
        near: What may be meant, a question or a sentence; nothing if that is unknown.
    """
    private = name.startswith("_")  # asked for by Python and its tools
    near = _counterpart(name) or near
    said = "" if private else near or f"; dir({module}) lists what there is."
    if said.endswith("?)"):
        said += f"; dir({module}) lists what there is."
    if _is_imported(module, name):
        return ImportError(f"cannot import name {name!r} from {module!r}{said}")
    said = f"module {module!r} has no attribute {name!r}{said}"
    return AttributeError(said, obj=None)  # or Python would add a guess of its own


def _counterpart(name: str) -> str:
    """Return what to write instead of a class of Hugging Face, or nothing."""
    found = _CLASS.fullmatch(name)
    if found is None:
        return ""
    published, kind = _FAMILIES[found[1].lower()], (found[2] or "").lower()
    if kind == "config":
        return f'; write transformer.zoo.CONFIGS["{published}"].'
    if kind:
        return (
            "; write transformer.SubwordTokenizer.fit(texts), or take the one of a "
            'model: model, tokenizer = transformer.zoo.load("smollm2-135m").'
        )
    return f'; write transformer.zoo.load("{published}").'


def _is_imported(module: str, name: str) -> bool:
    """Say whether `from module import name` asks, and no module is called so."""
    frame = sys._getframe()
    while frame := frame.f_back:
        if frame.f_code.co_name == "_handle_fromlist":  # importlib's, for each name x
            asked = frame.f_locals
            of = getattr(asked.get("module"), "__name__", None)
            if (of, asked.get("x")) == (module, name):
                return find_spec(f"{module}.{name}") is None
    return False
