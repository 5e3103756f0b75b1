"""How the book's own language model is made: the text, its tokens and one training."""

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from chapters.laboratory import king_james
from transformer.config import TransformerConfig
from transformer.data import (
    CharacterTokenizer,
    SubwordTokenizer,
    TextBatches,
    Tokenizer,
)
from transformer.models import DecoderOnlyTransformer
from transformer.training import (
    LabelSmoothingLoss,
    Trainer,
    adam,
    cosine_schedule,
    muon,
)

LINE_END = "\n"  # what stands before the first word of a text
OPTIMIZERS = {"AdamW": adam, "Muon": muon}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Describe a training.

    Args:
        vocab_size: Number of tokens; 0 for one token a letter.
        d_model, d_ff, num_layers, num_heads: Sizes of the model.
        dropout: Share of values dropped.
        width: How many tokens the model reads.
        batch_size: How many windows a step learns from.
        optimizer: One of `OPTIMIZERS`.
        learning_rate: Its peak; it falls along a cosine to a fiftieth.
        weight_decay: Share by which matrices shrink, times the rate.
        steps: Number of steps.
        seed: Where random numbers start.
    """

    vocab_size: int = 2048
    d_model: int = 192
    d_ff: int = 512
    num_layers: int = 4
    num_heads: int = 6
    dropout: float = 0.0
    width: int = 256
    batch_size: int = 16
    optimizer: str = "Muon"
    learning_rate: float = 1e-2
    weight_decay: float = 0.1
    steps: int = 200
    seed: int = 0

    def config(self, vocab_size: int) -> TransformerConfig:
        """Return the configuration of a small Llama."""
        return TransformerConfig.decoder_only(
            vocab_size=vocab_size,
            max_len=self.width,
            d_model=self.d_model,
            d_ff=self.d_ff,
            num_decoder_layers=self.num_layers,
            num_heads=self.num_heads,
            position="rotary",
            norm="rms",
            norm_placement="pre",
            final_norm=True,
            activation="silu",
            gated=True,
            bias=False,
            scale_embeddings=False,
            dropout=self.dropout,
            initialization="depth_scaled",
        )

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step, counted from 1."""
        peak, steps = self.learning_rate, self.steps
        warmup = min(100, steps // 10)
        return cosine_schedule(
            step, peak=peak, steps=steps, warmup=warmup, floor=peak / 50
        )


@cache
def tokenizer(vocab_size: int) -> Tokenizer:
    """Return a tokenizer that was fitted to the training books."""
    text = king_james.split_text("train")
    if vocab_size == 0:
        fitted = CharacterTokenizer.fit([text])
    else:
        fitted = SubwordTokenizer.fit([text], vocab_size=vocab_size)
    fitted.opening = LINE_END
    return fitted


@cache
def tokens(split: str, vocab_size: int) -> Tensor:
    """Return the tokens of a split, after a line end."""
    text = king_james.split_text(split)
    return torch.tensor(tokenizer(vocab_size).encode_prompt(text))


def new_trainer(recipe: Recipe) -> Trainer:
    """Return a trainer that has taken no step."""
    torch.manual_seed(recipe.seed)
    size = tokenizer(recipe.vocab_size).vocab_size
    model = DecoderOnlyTransformer(recipe.config(size)).to(torch.float32)
    optimizer = OPTIMIZERS[recipe.optimizer](
        model, learning_rate=recipe.learning_rate, weight_decay=recipe.weight_decay
    )
    return Trainer(
        model,
        loss=LabelSmoothingLoss(smoothing=0.0),
        optimizer=optimizer,
        schedule=recipe.rate_at,
        precision="bfloat16",
    )


def batches(recipe: Recipe) -> TextBatches:
    """Return what the trainer learns from."""
    return TextBatches(
        tokens("train", recipe.vocab_size),
        width=recipe.width,
        batch_size=recipe.batch_size,
        seed=recipe.seed,
    )
