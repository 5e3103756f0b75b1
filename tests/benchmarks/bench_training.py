"""Whole models at work: a step of training, and the reading of padded batches."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from math import sqrt

import torch
from bench_case import Call, Case, Sides
from bench_layers import config_for, pytorch_sizes
from bench_modes import TRAINING
from bench_sizes import Sizes
from bench_weights import as_pytorch, perturb
from torch import Tensor, nn
from torch.nn import functional as F

from transformer.blocks import Encoder
from transformer.data import PAD_ID, Batch
from transformer.layers import causal_mask
from transformer.layers.positional import sinusoidal_table
from transformer.models import Transformer
from transformer.training import LabelSmoothingLoss, Trainer, adam

PADDED = 1.25  # the ratio aimed at, against the nested tensors of PyTorch
SMOOTHING = 0.1


def training_cases(sizes: Sizes) -> Iterator[Case]:
    """Yield a step of training with and without dropout, then padded batches."""
    for dropout in (0.0, sizes.dropout):
        yield Case(
            name=f"training step, dropout {dropout:g}",
            reference="nn.Transformer",
            build=partial(build_steps, sizes, dropout),
            aim=TRAINING,
        )
    for length in sizes.lengths:
        yield Case(
            name=f"encoder, {length} tokens, half padding, buckets",
            reference="nested tensors",
            build=partial(build_padded, sizes, length),
            aim=PADDED,
        )


class Reference(nn.Module):
    """The model of 2017, put together from the modules of PyTorch."""

    def __init__(self, sizes: Sizes, dropout: float) -> None:
        super().__init__()
        self.d_model = sizes.seq2seq_d_model
        self.embedding = nn.Embedding(sizes.vocab_size, self.d_model)
        table = sinusoidal_table(sizes.seq2seq_length, self.d_model)
        self.register_buffer("table", table.float(), persistent=False)
        self.dropout = nn.Dropout(dropout)
        self.stacks = nn.Transformer(
            num_encoder_layers=sizes.seq2seq_layers,
            num_decoder_layers=sizes.seq2seq_layers,
            **pytorch_sizes(seq2seq_sizes(sizes), dropout),
        )

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Return the logits of the token after each target position."""
        hidden = target.size(1)
        x = self.stacks(
            self._embed(source),
            self._embed(target),
            tgt_mask=~causal_mask(hidden, device=target.device),
            src_key_padding_mask=source == PAD_ID,
            tgt_key_padding_mask=target == PAD_ID,
            memory_key_padding_mask=source == PAD_ID,
            tgt_is_causal=True,
        )
        return x @ self.embedding.weight.T

    def _embed(self, tokens: Tensor) -> Tensor:
        x = sqrt(self.d_model) * self.embedding(tokens)
        return self.dropout(x + self.table[: tokens.size(1)])


def seq2seq_sizes(sizes: Sizes) -> Sizes:
    """Return the sizes of the layers of the model that is trained."""
    return Sizes(
        d_model=sizes.seq2seq_d_model,
        num_heads=sizes.seq2seq_heads,
        d_ff=4 * sizes.seq2seq_d_model,
        num_layers=sizes.seq2seq_layers,
    )


def build_steps(sizes: Sizes, dropout: float, device: torch.device) -> Sides:
    """Build a step of our trainer, and the same step written out for PyTorch."""
    config = replace(
        config_for(seq2seq_sizes(sizes), dropout),
        vocab_size=sizes.vocab_size,
        max_len=sizes.seq2seq_length,
        pad_id=PAD_ID,
    )
    ours = Transformer(config).to(device)
    perturb(ours)
    theirs = Reference(sizes, dropout).to(device)
    copy_into(ours, theirs)
    batch = draw_batch(sizes).to(device)
    trainer = Trainer(
        ours, loss=LabelSmoothingLoss(smoothing=SMOOTHING), optimizer=adam(ours)
    )
    return Sides(
        ours=lambda: torch.tensor(trainer.step(batch).loss),
        reference=reference_step(theirs, batch),
        compared=tuple(partial(logits, model, batch) for model in (ours, theirs)),
    )


def copy_into(ours: Transformer, theirs: Reference) -> None:
    """Give PyTorch's model the parameters of ours."""
    tensors = ours.state_dict()
    weight = tensors["embedding.tokens.embedding.weight"]
    stacks = {
        name: tensor
        for name, tensor in tensors.items()
        if name.startswith(("encoder.", "decoder."))
    }
    theirs.embedding.load_state_dict({"weight": weight})
    theirs.stacks.load_state_dict(as_pytorch(stacks))


def reference_step(model: Reference, batch: Batch) -> Call:
    """Return a call that takes a step as `Trainer` does."""
    optimizer = torch.optim.Adam(
        model.parameters(), 1e-3, betas=(0.9, 0.98), eps=1e-9, fused=True
    )

    def step() -> Tensor:
        model.train()
        optimizer.zero_grad()
        loss = F.cross_entropy(
            model(*batch.inputs).flatten(0, 1),
            batch.labels.flatten(),
            label_smoothing=SMOOTHING,
        )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    return step


@torch.inference_mode()
def logits(model: nn.Module, batch: Batch) -> Tensor:
    """Return the logits of a model without dropout, at labels that count."""
    with nested_tensors():
        return model.eval()(*batch.inputs)[batch.labels >= 0]


@contextmanager
def nested_tensors() -> Iterator[None]:
    """Keep quiet about the nested tensors of PyTorch, which it calls a prototype."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The PyTorch API of nested tensors")
        yield


def draw_batch(sizes: Sizes) -> Batch:
    """Return random sentences, some of them shorter than the others."""
    rows, length = sizes.seq2seq_batch, sizes.seq2seq_length
    sides = torch.randint(1, sizes.vocab_size, (2, rows, length))
    ends = torch.randint(length // 2, length + 1, (2, rows, 1))
    sides[torch.arange(length) >= ends] = PAD_ID
    return Batch(*sides)


def build_padded(sizes: Sizes, length: int, device: torch.device) -> Sides:
    """Build the reading of a batch that is half padding.

    PyTorch's encoder packs what is real without gaps. We sort the rows by length and
    read a few buckets, each padded to its own longest row.
    """
    rows = sizes.padded_rows
    ends = torch.linspace(1, length, rows).long()[torch.randperm(rows)]
    x = torch.randn(rows, length, sizes.d_model, device=device)
    real = (torch.arange(length) < ends[:, None]).to(device)
    config = config_for(sizes, 0.0)
    ours = Encoder(config).to(device).eval()
    perturb(ours)
    layer = nn.TransformerEncoderLayer(**pytorch_sizes(sizes, 0.0))
    norm = nn.LayerNorm(sizes.d_model)
    theirs = nn.TransformerEncoder(layer, sizes.num_layers, norm).to(device).eval()
    theirs.load_state_dict(as_pytorch(ours.state_dict()))
    buckets = ends.argsort().chunk(sizes.buckets)

    @torch.inference_mode()
    def in_buckets() -> Tensor:
        whole = torch.zeros_like(x)
        for places in buckets:
            width = int(ends[places].max())
            here = places.to(device)
            mask = real[here, :width]
            read = ours(x[here, :width], mask=mask[:, None, None])
            whole[here, :width] = read.masked_fill(~mask[..., None], 0.0)
        return whole

    @torch.inference_mode()
    def nested() -> Tensor:
        with nested_tensors():
            read = theirs(x, src_key_padding_mask=~real)
        return read.masked_fill(~real[:, : read.size(1), None], 0.0)

    return Sides(ours=in_buckets, reference=nested)
