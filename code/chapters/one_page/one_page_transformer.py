"""The Transformer of 2017 on one page; run it, and it learns a task."""

import torch
import torch.nn.functional as F
from torch import nn

SIGNS = "_<>abcdefgh"  # padding, start and end, then the letters
PAD, START, END = 0, 1, 2
SIZES = {"d_model": 32, "num_heads": 4, "d_ff": 128, "num_layers": 2}


def sinusoids(length, d_model):
    """Return sines and cosines for each position."""
    positions = torch.arange(length)[:, None]
    rates = 10_000 ** (-torch.arange(0, d_model, 2) / d_model)
    angles = positions * rates  # (length, d_model / 2)
    pairs = torch.stack((angles.sin(), angles.cos()), dim=-1)
    return pairs.flatten(1)  # (length, d_model)


class Attention(nn.Module):
    """Let each row of x gather what it needs from the rows of y."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.output = nn.Linear(d_model, d_model, bias=False)

    def split(self, x):
        x = x.unflatten(-1, (self.num_heads, -1))
        return x.transpose(1, 2)  # (batch, heads, time, d_head)

    def forward(self, x, y, mask):
        query = self.split(self.query(x))
        key, value = self.split(self.key(y)), self.split(self.value(y))
        # A sum of d_head products: the root brings it back to size 1.
        scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
        scores = scores.masked_fill(~mask, -torch.inf)  # True: seen
        mixed = scores.softmax(dim=-1) @ value
        return self.output(mixed.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    """Work on each row by itself."""

    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.down(self.up(x).relu())


class EncoderLayer(nn.Module):
    """Look around, then think; a norm after each sum (post-norm)."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = Attention(d_model, num_heads)
        self.norm_1 = nn.LayerNorm(d_model)  # 2 * d_model numbers
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_2 = nn.LayerNorm(d_model)

    def forward(self, x, real):
        x = self.norm_1(x + self.attention(x, x, real))
        return self.norm_2(x + self.feed_forward(x))


class DecoderLayer(nn.Module):
    """Look back in the target, then into the source, then think."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.self_attention = Attention(d_model, num_heads)
        self.norm_1 = nn.LayerNorm(d_model)
        self.cross_attention = Attention(d_model, num_heads)
        self.norm_2 = nn.LayerNorm(d_model)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm_3 = nn.LayerNorm(d_model)

    def forward(self, x, memory, causal, real):
        x = self.norm_1(x + self.self_attention(x, x, causal))
        x = self.norm_2(x + self.cross_attention(x, memory, real))
        return self.norm_3(x + self.feed_forward(x))


class Transformer(nn.Module):
    """Read a source, then score each next sign of a target."""

    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.encoder, self.decoder = nn.ModuleList(), nn.ModuleList()
        for _ in range(num_layers):
            self.encoder.append(EncoderLayer(d_model, num_heads, d_ff))
            self.decoder.append(DecoderLayer(d_model, num_heads, d_ff))

    def embed(self, ids):
        x = self.embedding(ids)  # (batch, time, d_model)
        x = x * x.size(-1) ** 0.5
        return x + sinusoids(x.size(1), x.size(2)).to(x)

    def encode(self, source, real):
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, real)
        return x  # the memory

    def decode(self, target, memory, real):
        x = self.embed(target)
        allowed = torch.ones(x.size(1), x.size(1), device=x.device)
        causal = allowed.tril().bool()  # row t sees columns 0 to t
        for layer in self.decoder:
            x = layer(x, memory, causal, real)
        return x @ self.embedding.weight.T  # (batch, target, vocab)

    def forward(self, source, target):
        real = (source != PAD)[:, None, None, :]
        return self.decode(target, self.encode(source, real), real)


def draw_rows(count):
    """Return rows of 4 to 8 letters, and the same rows backward."""
    source = torch.full((count, 8), PAD)
    target = torch.full((count, 10), PAD)
    target[:, 0] = START
    for n, length in enumerate(torch.randint(4, 9, (count,)).tolist()):
        row = torch.randint(END + 1, len(SIGNS), (length,))
        source[n, :length] = row
        target[n, 1 : length + 1] = row.flip(0)
        target[n, length + 1] = END
    return source, target


@torch.no_grad()
def write(model, text):
    """Return what a model writes, always the likeliest next sign."""
    source = torch.tensor([[SIGNS.index(sign) for sign in text]])
    ids = [START]
    while len(ids) < 10 and ids[-1] != END:
        logits = model(source, torch.tensor([ids]))
        ids.append(logits[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids[1:])


def train(steps, shown=(0, 50, 100, 200, 300)):
    """Train a model, and print what it writes on the way."""
    torch.manual_seed(0)
    model = Transformer(len(SIGNS), **SIZES)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(steps + 1):
        source, target = draw_rows(64)
        given, labels = target[:, :-1], target[:, 1:]
        logits = model(source, given).transpose(1, 2)  # vocab second
        loss = F.cross_entropy(logits, labels, ignore_index=PAD)
        if step in shown:
            text = write(model, "cabbage")
            print(f"step {step:3d}: loss {loss:.2f}, writes {text}")
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model


if __name__ == "__main__":
    model = train(steps=300)
