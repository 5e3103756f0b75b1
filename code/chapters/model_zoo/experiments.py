"""MiniLM as our model and as the reference, and the tokenizers of published models."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from chapters.laboratory.published import MINILM, file_of
from chapters.laboratory.tiny_models import hugging_face
from transformer.models import EncoderOnlyTransformer
from transformer.packages import need
from transformer.zoo import from_hugging_face


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
