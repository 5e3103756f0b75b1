"""The translator that runs in a page: trained once, packed into eight bits a number.

`python -m chapters.live.pack` trains it and writes `translator_weights.js`, which
`transformer.js` reads. Each row of a matrix is held as whole numbers from -127 to 127
and one scale.
"""

import base64
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import torch
from jaxtyping import Float, Int8
from torch import Tensor

from chapters.laboratory.translator import (
    new_translator,
    numbers,
    share_right,
    train_translator,
)
from transformer.data.tokenizer import SPECIALS
from transformer.models import Transformer

STEPS, SEED = 600, 0
LEVELS = 127
FIELDS = (
    "num_encoder_layers",
    "num_decoder_layers",
    "d_model",
    "num_heads",
    "position",
    "norm_eps",
    "scale_embeddings",
    "scale_attention",
)
TIED = "head.projection.weight"  # the table of embeddings once more
WEIGHTS = Path(__file__).with_name("translator_weights.js")
END = "end"  # what the page calls the token that ends a text
OPENING = "globalThis.bookTranslator = "


def quantize(
    matrix: Float[Tensor, "rows columns"],
) -> tuple[Int8[Tensor, "rows columns"], Float[Tensor, " rows"]]:
    r"""Return whole numbers and a scale for each row whose products are near a matrix.

    $$W_{ij} \approx s_i\,n_{ij}, \qquad s_i = \max_j |W_{ij}| / 127$$

    Source: Dettmers et al. (2022), section 2.1, "absmax", for each row by itself.
    """
    scales = (matrix.abs().amax(dim=1) / LEVELS).clamp(min=1e-12)
    levels = (matrix / scales[:, None]).round().to(torch.int8)
    return levels, scales.float()


def pack(model: Transformer, vocabulary: tuple[str, ...], **flags: bool) -> dict:
    """Return a model as JSON can hold it; a tied matrix is held once.

    Args:
        model: A model of the kind that the engine computes.
        vocabulary: The pieces in the order of their ids, without the special ones.
        **flags: What else the engine has to know, beside the model's choices.
    """
    config = asdict(model.config)
    return {
        "config": {name: config[name] for name in FIELDS} | flags,
        "vocabulary": [*SPECIALS, *vocabulary],
        "tensors": {
            _name(name): _packed(tensor.detach().cpu().float())
            for name, tensor in model.state_dict().items()
            if name != TIED
        },
    }


def unpack(packed: Mapping) -> dict[str, Tensor]:
    """Return the parameters that a packed model holds, as the engine computes them."""
    return {name: _unpacked(held) for name, held in packed["tensors"].items()}


def read_script(path: Path, opening: str) -> dict:
    """Return the packed model that a script holds.

    Args:
        path: The script.
        opening: What stands before the model there.
    """
    text = path.read_text("utf-8")
    return json.loads(text.removeprefix(opening).removesuffix(";\n"))


def write_script(path: Path, opening: str, packed: Mapping) -> None:
    """Write a script that holds a packed model."""
    text = json.dumps(packed, separators=(",", ":"))
    path.write_text(f"{opening}{text};\n", "utf-8")


def read_weights() -> dict:
    """Return the packed model that stands beside this file."""
    return read_script(WEIGHTS, OPENING)


def load(packed: Mapping, **choices: object) -> Transformer:
    """Return the model of PyTorch with the numbers of a packed one.

    Args:
        packed: What `pack` returned.
        **choices: As in `new_translator`, where the model was not made as usual.
    """
    model = new_translator(seed=SEED, **choices)
    held = unpack(packed)
    held[TIED] = held["embedding.tokens.embedding.weight"]
    model.load_state_dict({name: held[_name(name)] for name in model.state_dict()})
    return model.eval()


def _name(name: str) -> str:
    """Return a parameter's name in the whole model, of which a part is wrapped here."""
    return name.replace("_residual.residual.", "_residual.")


def _packed(tensor: Tensor) -> dict:
    """Pack a matrix into eight bits a number; leave a vector as it is."""
    shape = list(tensor.shape)
    if tensor.dim() == 1:
        return {"shape": shape, "numbers": _as_text(tensor)}
    levels, scales = quantize(tensor)
    return {"shape": shape, "numbers": _as_text(levels), "scales": _as_text(scales)}


def _unpacked(held: Mapping) -> Tensor:
    """Return what `_packed` holds, in float32."""
    if "scales" not in held:
        return _from_text(held["numbers"], torch.float32)
    scales = _from_text(held["scales"], torch.float32)
    levels = _from_text(held["numbers"], torch.int8).view(held["shape"])
    return levels * scales[:, None]


def _as_text(tensor: Tensor) -> str:
    """Write the bytes of a tensor, little-endian, in base64."""
    return base64.b64encode(tensor.contiguous().numpy().tobytes()).decode("ascii")


def _from_text(text: str, dtype: torch.dtype) -> Tensor:
    """Read a tensor that `_as_text` wrote."""
    return torch.frombuffer(bytearray(base64.b64decode(text)), dtype=dtype)


def main() -> None:
    """Train the translator, write its file, and say what eight bits cost."""
    trained = train_translator(seed=SEED, steps=STEPS, smoothing=0.0).model
    write_script(WEIGHTS, OPENING, pack(trained, numbers().tokenizer.vocabulary))
    for name, model in (("trained", trained), ("packed", load(read_weights()))):
        print(f"{name}: {share_right(model):.1%} of held-out numbers are right")


if __name__ == "__main__":
    main()
