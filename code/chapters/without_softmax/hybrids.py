"""How many layers with softmax does recall need, among layers with a small state?

The trainings take minutes; `python -m chapters.without_softmax.hybrids` writes their
file.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.laboratory.fit import fit, same_numbers
from chapters.laboratory.study import Study
from transformer import TransformerConfig
from transformer.blocks import Decoder
from transformer.layers import TokenEmbedding

PAIRS, ASKED, VOCAB = 32, 16, 64
BATCH, TESTED = 16, 256  # texts
SMALL, LARGE = 8, 32  # features of a head, so that a state holds their square
STACKS = {
    "none": ("delta delta", SMALL),
    "none, larger states": ("delta delta", LARGE),
    "one of two": ("delta softmax", SMALL),
    "one alone": ("softmax", SMALL),
    "both": ("softmax softmax", SMALL),
}


class Recaller(nn.Module):
    """A decoder of one layer or two that reads pairs, then answers questions."""

    def __init__(self, mixers: str, d_head: int):
        super().__init__()
        config = TransformerConfig.decoder_only(
            vocab_size=VOCAB,
            d_model=64,
            num_heads=2,
            d_head=d_head,
            d_ff=128,
            num_decoder_layers=len(mixers.split()),
            position="none",
            norm_placement="pre",
            mixers=mixers,
        )
        self.keys = TokenEmbedding(VOCAB, config.d_model, scale=True)
        self.values = TokenEmbedding(VOCAB, config.d_model, scale=True)
        self.decoder = Decoder(config)
        self.output = nn.Linear(config.d_model, VOCAB)

    def forward(
        self,
        keys: Int[Tensor, "batch pairs"],
        values: Int[Tensor, "batch pairs"],
        asked: Int[Tensor, "batch asked"],
    ) -> Float[Tensor, "batch asked vocab"]:
        """Return a score for each possible value of each key that is asked for."""
        pairs = self.keys(keys) + self.values(values)  # (batch, pairs, d_model)
        read = self.decoder(torch.cat((pairs, self.keys(asked)), dim=1))
        return self.output(read[:, keys.size(1) :])


def draw_texts(count: int) -> tuple[tuple[Tensor, ...], Tensor]:
    """Draw pairs with distinct keys, questions about some, and the answers."""
    keys = torch.rand(count, VOCAB).argsort(dim=1)[:, :PAIRS]
    values = torch.randint(VOCAB, (count, PAIRS))
    asked = torch.rand(count, PAIRS).argsort(dim=1)[:, :ASKED]
    return (keys, values, keys.gather(1, asked)), values.gather(1, asked)


def measured(variant: str, learning_rate: float, steps: int, seed: int) -> dict:
    """Train one stack on fresh texts, then ask it about others.

    Returns:
        The loss on fresh texts that chooses the rate ("validation"), and on others the
        loss ("loss") and the share of right answers ("right").
    """
    options = {"steps": steps, "learning_rate": learning_rate, "warm_up": 20}
    with same_numbers(seed):
        model = Recaller(*STACKS[variant]).to(torch.float32)
        fit(model, lambda: draw_texts(BATCH), **options)
        model.eval()
        with torch.no_grad():
            (chooses, _), (loss, right) = (
                _score(model(*inputs), answers)
                for inputs, answers in (draw_texts(TESTED), draw_texts(TESTED))
            )
    return {"validation": chooses, "loss": loss, "right": right}


def _score(scores: Tensor, answers: Tensor) -> tuple[float, float]:
    """Return the loss in nats, and the share of right answers."""
    right = (scores.argmax(dim=-1) == answers).double().mean()
    loss = F.cross_entropy(scores.flatten(end_dim=-2), answers.flatten())
    return loss.item(), right.item()


STUDY = Study(
    "without_softmax",
    "hybrids",
    train=measured,
    variants=tuple(STACKS),
    budgets=(80, 320),
)


if __name__ == "__main__":
    STUDY.run()
