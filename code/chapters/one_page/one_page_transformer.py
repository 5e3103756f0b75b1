"""The Transformer of 2017 on one page; run it, and it learns a task."""

import torch
import torch.nn.functional as F
from torch import nn

SIGNS = "_<>abcdefgh"  # padding, start and end, then the letters
PAD, START, END = 0, 1, 2
LONGEST = 8  # letters in a word
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

    def forward(self, x, y, mask):  # mask: (..., x rows, y rows)
        query = self.split(self.query(x))
        key, value = self.split(self.key(y)), self.split(self.value(y))
        # The root keeps the scores' spread the same for any d_head.
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

    def forward(self, x, mask):
        x = self.norm_1(x + self.attention(x, x, mask))
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

    def forward(self, x, memory, causal, not_pad):
        x = self.norm_1(x + self.self_attention(x, x, causal))
        x = self.norm_2(x + self.cross_attention(x, memory, not_pad))
        return self.norm_3(x + self.feed_forward(x))


class Transformer(nn.Module):
    """Read a source, then score each next sign of a target."""

    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        # Tied: it makes the logits too. The rest starts as in PyTorch.
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.encoder, self.decoder = nn.ModuleList(), nn.ModuleList()
        for _ in range(num_layers):
            self.encoder.append(EncoderLayer(d_model, num_heads, d_ff))
            self.decoder.append(DecoderLayer(d_model, num_heads, d_ff))

    def embed(self, ids):
        x = self.embedding(ids)  # (batch, time, d_model)
        x = x * x.size(-1) ** 0.5  # to std 1, near the waves' 0.7
        return x + sinusoids(x.size(1), x.size(2)).to(x)

    def encode(self, source, not_pad):
        x = self.embed(source)
        for layer in self.encoder:
            x = layer(x, not_pad)
        return x  # the memory

    def decode(self, target, memory, not_pad):
        x = self.embed(target)
        allowed = torch.ones(x.size(1), x.size(1), device=x.device)
        causal = allowed.tril().bool()  # row t sees columns 0 to t
        for layer in self.decoder:
            x = layer(x, memory, causal, not_pad)
        return x @ self.embedding.weight.T  # tied; (batch, time, vocab)

    def forward(self, source, target):
        not_pad = (source != PAD)[:, None, None, :]  # (batch, 1, 1, time)
        return self.decode(target, self.encode(source, not_pad), not_pad)


def draw_rows(count):
    """Return words of 4 to 8 letters, and the same words backward."""
    source = torch.full((count, LONGEST), PAD)
    target = torch.full((count, LONGEST + 2), PAD)
    target[:, 0] = START
    lengths = torch.randint(4, LONGEST + 1, (count,)).tolist()
    for n, length in enumerate(lengths):
        word = torch.randint(END + 1, len(SIGNS), (length,))
        source[n, :length] = word
        target[n, 1 : length + 1] = word.flip(0)
        target[n, length + 1] = END
    return source, target


@torch.no_grad()
def write(model, text):
    """Return the likeliest next signs, computing all anew for each."""
    if not 0 < len(text) <= LONGEST:
        raise ValueError(f"1 to {LONGEST} letters, not {len(text)}")
    source = torch.tensor([[SIGNS.index(sign) for sign in text]])
    ids, device = [START], model.embedding.weight.device
    while len(ids) < LONGEST + 2 and ids[-1] != END:
        target = torch.tensor([ids]).to(device)
        logits = model(source.to(device), target)
        ids.append(logits[0, -1].argmax().item())
    return "".join(SIGNS[number] for number in ids[1:])


def train(steps, shown=(0, 50, 100, 200, 300)):
    """Train a model, and print what it writes on the way."""
    torch.manual_seed(0)
    model = Transformer(len(SIGNS), **SIZES)
    # Left out here, among more: dropout, label smoothing, warm-up.
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(steps + 1):
        source, target = draw_rows(64)
        given, labels = target[:, :-1], target[:, 1:]  # the next signs
        logits = model(source, given).transpose(1, 2)  # vocab second
        loss = F.cross_entropy(logits, labels, ignore_index=PAD)
        if step in shown:
            text = write(model, "cabbage")
            print(f"step {step:3d}: loss {loss:.2f}, writes {text}")
        if step < steps:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return model


if __name__ == "__main__":
    torch.set_default_dtype(torch.float64)  # as the book computes
    model = train(steps=300)
