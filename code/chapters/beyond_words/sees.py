"""A frozen language model is shown pictures through one linear map, which learns.

The trainings take minutes; `python -m chapters.beyond_words.sees` writes their file.
"""

from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.beyond_words.digits import Digits, digits
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements
from chapters.laboratory.real_model import as_ids, open_model
from transformer.layers import causal_mask

MEASUREMENTS = Measurements("beyond_words", "sees")
WORDS = ("zero", "one", "two", "three", "four")
WORDS += ("five", "six", "seven", "eight", "nine")
# The texts behind which the model is to say it: in training, and only afterwards.
ASKED = "The digit is"
SEVERAL = (ASKED, "You can see a", "This picture shows the number", "It says")
SEVERAL += ("My favorite number is", "Somebody wrote the figure")
OTHERS = ("The picture shows the digit", "I see a", "This is the number")
PLACES = 4  # vectors that a picture becomes
STEPS, BATCH, RATE = 60, 24, 3e-3
# What the map learns from, and how often it was trained.
SEEDS = {"one text": 3, "several texts": 2, "shuffled pictures": 1, "a random map": 1}
VARIANTS = tuple(SEEDS)
TRAINED = VARIANTS[:2]


class Eye(nn.Module):
    """Turn a picture into a few vectors, as if they were embeddings of words.

    Source: Tsimpoukelli et al. (2021), section 3.1, with a linear map of the pixels in
    the place of their network; a linear map: Liu et al. (2023), section 4.1.

    Args:
        pixels: How many numbers a picture has.
        d_model: Width of the language model.
        places: How many vectors a picture becomes.
        std: That of the embeddings of words, with which the vectors start.
    """

    def __init__(self, pixels: int, d_model: int, *, places: int, std: float):
        super().__init__()
        self.places = places
        self.map = nn.Linear(pixels, places * d_model)
        nn.init.normal_(self.map.weight, std=3 * std / pixels**0.5)
        nn.init.zeros_(self.map.bias)

    def forward(
        self, images: Float[Tensor, "batch 1 height width"]
    ) -> Float[Tensor, "batch places d_model"]:
        """Return the vectors of each picture."""
        return self.map(images.flatten(start_dim=1)).unflatten(-1, (self.places, -1))


def next_scores(
    model: nn.Module,
    seen: Float[Tensor, "batch places d_model"],
    ids: Int[Tensor, "1 time"],
) -> Float[Tensor, "batch vocab"]:
    """Return the scores of the word after a text, with pictures in front of it.

    Args:
        model: A decoder-only language model.
        seen: What the pictures have become.
        ids: The text.
    """
    words = model.embedding(ids).expand(len(seen), -1, -1)
    stream = torch.cat((seen.to(words.dtype), words), dim=1)
    mask = causal_mask(stream.size(1))
    for layer in model.decoder.layers:
        stream = layer(stream, mask=mask)
    return model.head(model.decoder.norm(stream[:, -1:]))[:, 0].float()


def train_eye(
    model: nn.Module,
    eye: Eye,
    learned: Digits,
    texts: Sequence[Int[Tensor, "1 time"]],
    answers: Int[Tensor, " digits"],
    *,
    steps: int = STEPS,
    rate: float = RATE,
) -> list[float]:
    """Train the map alone to make a frozen language model say what a picture shows.

    Args:
        model: A decoder-only language model; none of its parameters changes.
        eye: The map.
        learned: Pictures.
        texts: Those behind which the model is to say it, one for each batch in turn.
        answers: The token of each of ten words.
        steps: How many batches it sees.
        rate: The learning rate of Adam.

    Returns:
        The loss of each step, in nats.
    """
    model.requires_grad_(False)
    optimizer, losses = torch.optim.Adam(eye.parameters(), lr=rate), []
    for step in range(steps):
        ids = texts[step % len(texts)]
        picked = torch.randint(len(learned.labels), (BATCH,))
        scores = next_scores(model, eye(learned.images[picked].float()), ids)
        loss = F.cross_entropy(scores, answers[learned.labels[picked]])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def says(
    model: nn.Module,
    eye: Eye,
    tested: Digits,
    ids: Int[Tensor, "1 time"],
    answers: Int[Tensor, " digits"],
) -> tuple[float, float]:
    """Return how often a picture is named rightly, among ten words and among all.

    Args:
        model: A decoder-only language model.
        eye: The map.
        tested: Pictures.
        ids: The text behind which the model says it.
        answers: The token of each of ten words.
    """
    scores = torch.cat(
        [next_scores(model, eye(x.float()), ids) for x in tested.images.split(60)]
    )
    among_ten = scores[:, answers].argmax(dim=-1) == tested.labels
    among_all = scores.argmax(dim=-1) == answers[tested.labels]
    return among_ten.double().mean().item(), among_all.double().mean().item()


def tokens_of(tokenizer: object, words: Sequence[str] = WORDS) -> Int[Tensor, " words"]:
    """Return the token of each word, which stands behind a space."""
    return torch.tensor([tokenizer.encode(f" {word}")[0] for word in words])


def new_eye(model: nn.Module) -> Eye:
    """Return a fresh map for a language model."""
    table = model.embedding.tokens.embedding.weight
    std = table[::97].float().std().item()
    return Eye(64, table.size(1), places=PLACES, std=std).float()


def shuffled(part: Digits) -> Digits:
    """Return pictures with the labels of other pictures."""
    return Digits(part.images, part.labels[torch.randperm(len(part.labels))])


def measured(
    variant: str, seed: int, *, steps: int = STEPS, rate: float = RATE
) -> Iterator[dict]:
    """Train one map, then yield what the model says behind each of some texts."""
    found = open_model("smollm2-135m")
    model, tokenizer = found.model.to(torch.bfloat16), found.tokenizer
    split, answers = digits(), tokens_of(tokenizer)
    losses = []
    with same_numbers(seed):
        eye = new_eye(model)
        learned = split.learned
        if variant == "shuffled pictures":
            learned = shuffled(learned)
        if variant != "a random map":
            asked = SEVERAL if variant == "several texts" else (ASKED,)
            texts = [as_ids(tokenizer, text) for text in asked]
            losses = train_eye(
                model, eye, learned, texts, answers, steps=steps, rate=rate
            )
    for text in (ASKED, *OTHERS):
        ids = as_ids(tokenizer, text)
        ten, every = says(model, eye, split.tested, ids, answers)
        setting = {"variant": variant, "seed": seed, "rate": rate, "text": text}
        last = sum(losses[-10:]) / 10 if losses else None
        yield {**setting, "among_ten": ten, "among_all": every, "nats": last}


if __name__ == "__main__":
    torch.set_num_threads(1)
    settings = [(variant, n) for variant in VARIANTS for n in range(SEEDS[variant])]
    rows = [row for setting in settings for row in measured(*setting)]
    MEASUREMENTS.write(rows, steps=STEPS)
