"""A frozen language model is shown pictures through one linear map, which learns.

Each training takes minutes; `python -m chapters.beyond_words.sees` makes those that the
file lacks.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.beyond_words.digits import Digits, digits
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import (
    Measurements,
    counted_at_best,
    pending_at_best,
    trained,
)
from chapters.laboratory.real_model import as_ids
from transformer import DecoderOnlyTransformer
from transformer.layers import causal_mask
from transformer.zoo import load

MEASUREMENTS = Measurements("beyond_words", "sees")
WORDS = ("zero", "one", "two", "three", "four")
WORDS += ("five", "six", "seven", "eight", "nine")
# The texts behind which the model is to say it: in training, and only afterwards.
ASKED = "The digit is"
SEVERAL = (ASKED, "You can see a", "This picture shows the number", "It says")
SEVERAL += ("My favorite number is", "Somebody wrote the figure")
OTHERS = ("The picture shows the digit", "I see a", "This is the number")
PLACES = 4  # vectors that a picture becomes
STEPS, BATCH = 60, 24
# How often a map was trained, by language model and by what it learned from.
SEEDS = {
    "smollm2-135m": {"one text": 3, "several texts": 2}
    | {"shuffled pictures": 1, "a random map": 1},
    "verses": {"one text": 4, "a model dealt out anew": 4, "a fresh model": 4},
}
RATES = {"smollm2-135m": (3e-3,), "verses": (1e-3, 3e-3, 1e-2)}
VARIANTS = tuple(SEEDS["smollm2-135m"])
TRAINED = VARIANTS[:2]
NAMES = {"smollm2-135m": "SmolLM2", "verses": "ours"}


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
    rate: float,
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
def scores_behind(
    model: nn.Module, eye: Eye, part: Digits, ids: Int[Tensor, "1 time"]
) -> Float[Tensor, "digits vocab"]:
    """Return the scores of the word after a text, for each picture in front of it."""
    images = part.images.float().split(60)
    return torch.cat([next_scores(model, eye(x), ids) for x in images])


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
    scores = scores_behind(model, eye, tested, ids)
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


def dealt_out(model: nn.Module) -> nn.Module:
    """Return a model with the same numbers in each matrix, dealt out by chance.

    What was learned is gone, and the sizes are those of the model that has learned.
    """
    other = deepcopy(model)
    with torch.no_grad():
        for weights in other.parameters():
            if weights.dim() > 1:
                order = torch.randperm(weights.numel())
                weights.copy_(weights.flatten()[order].view_as(weights))
    return other


def measured(model: str, variant: str, seed: int, rate: float) -> dict:
    """Train one map.

    Returns:
        The "dtype" of the language model, the loss at the end of the training ("nats")
        and on the pictures that choose the rate ("validation"), and by text the shares
        of pictures that it names rightly behind it ("among_ten", "among_all").
    """
    frozen, tokenizer = load(model)
    frozen.float()
    split, answers = digits(), tokens_of(tokenizer)
    ids = {text: as_ids(tokenizer, text) for text in (*SEVERAL, *OTHERS)}
    learned, losses = split.learned, []
    with same_numbers(seed):
        if variant == "a model dealt out anew":
            frozen = dealt_out(frozen)
        elif variant == "a fresh model":
            frozen = DecoderOnlyTransformer(frozen.config).float()
        eye = new_eye(frozen)
        if variant == "shuffled pictures":
            learned = shuffled(learned)
        if variant != "a random map":
            asked = SEVERAL if variant == "several texts" else (ASKED,)
            texts = [ids[text] for text in asked]
            losses = train_eye(frozen, eye, learned, texts, answers, rate=rate)
    chosen = scores_behind(frozen, eye, split.chooses, ids[ASKED])
    said = {
        text: says(frozen, eye, split.tested, ids[text], answers)
        for text in (ASKED, *OTHERS)
    }
    return {
        "dtype": "float32",
        "nats": sum(losses[-10:]) / 10 if losses else None,
        "validation": F.cross_entropy(chosen, answers[split.chooses.labels]).item(),
        "among_ten": {text: ten for text, (ten, _) in said.items()},
        "among_all": {text: every for text, (_, every) in said.items()},
    }


def pending(rows: Sequence[Mapping]) -> Iterator[dict]:
    """Yield the trainings that are missing."""
    for model, variants in SEEDS.items():
        for variant, seeds in variants.items():
            yield from pending_at_best(
                rows,
                {"model": model, "variant": variant},
                rates=RATES[model],
                seeds=range(seeds),
            )


def at_best(rows: Sequence[Mapping], model: str, variant: str) -> list[Mapping]:
    """Return the trainings of a variant at its best rate, one for each seed.

    Where several rates were tried, the seed that chose is left out.
    """
    setting = {"model": model, "variant": variant}
    if len(RATES[model]) == 1:
        return trained(rows, setting)
    return counted_at_best(rows, setting, seed=0)


if __name__ == "__main__":
    torch.set_num_threads(1)
    MEASUREMENTS.go_on(pending, measured, steps=STEPS)
