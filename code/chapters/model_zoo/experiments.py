"""MiniLM as our model and as the reference; `open_tokenizer` is the laboratory's."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from chapters.laboratory.published import MINILM, file_of, minilm_model
from chapters.laboratory.published import open_tokenizer as open_tokenizer
from chapters.laboratory.tiny_models import hugging_face
from transformer.models import EncoderOnlyTransformer


def open_minilm(tensors: dict[str, Tensor]) -> EncoderOnlyTransformer:
    """Return our model with the tensors of MiniLM, without a head, in float64."""
    return minilm_model(tensors).double()


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
