"""An encoder sees a number of several digits, and a decoder writes it in French words.

The trainings take minutes; `python -m chapters.beyond_words.reading` writes their file.
"""

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from chapters.beyond_words.digits import SIDE, Digits, digits
from chapters.beyond_words.encoders import SIZES
from chapters.laboratory.fit import same_numbers
from chapters.laboratory.measurements import Measurements, measure_all
from transformer import TransformerConfig, WordTokenizer
from transformer.blocks import Decoder, InputEmbedding
from transformer.data import BOS_ID, EOS_ID, IGNORED, PAD_ID, french
from transformer.models import ImageEncoder, attention_maps
from transformer.training import cosine_schedule

MEASUREMENTS = Measurements("beyond_words", "reading")
STEPS = {1: 300, 2: 1600, 3: 1600}  # batches, by how many digits there are
BATCH, RATE, WARM_UP = 32, 3e-3, 40
SEEDS = (0, 1, 2)
KEPT_BACK = 5  # each fifth number of two or three digits is shown in no training
LONGEST = 11  # the pieces of the longest number, its begin and its end
TESTED = 200  # pictures
SHOWN = 397  # the number whose cross-attention is kept


class Reader(nn.Module):
    """Read a picture by an encoder of patches, and write words about it by a decoder.

    Args:
        length: How many digits stand in a row.
        tokenizer: Knows the words.
    """

    def __init__(self, length: int, tokenizer: WordTokenizer):
        super().__init__()
        sizes = SIZES | {"d_model": 48, "num_heads": 4, "d_ff": 128}
        sizes |= {"image_size": (SIDE, length * SIDE)}
        eye = TransformerConfig.encoder_only(**sizes)
        self.eye = ImageEncoder(eye, head=None)
        words = sizes | {"vocab_size": tokenizer.vocab_size, "image_size": None}
        words |= {"num_encoder_layers": 0, "num_decoder_layers": 2, "max_len": 16}
        config = TransformerConfig(**words)
        self.embedding = InputEmbedding(config)
        self.decoder = Decoder(config, cross_attention=True)
        self.output = nn.Linear(config.d_model, tokenizer.vocab_size)

    def forward(
        self,
        images: Float[Tensor, "batch 1 height width"],
        target: Int[Tensor, "batch time"],
    ) -> Float[Tensor, "batch time vocab"]:
        """Return the scores of the word after each word of the target."""
        dtype = self.output.weight.dtype
        memory = self.eye(images.to(dtype))  # (batch, patches + 1, d_model)
        return self.output(self.decoder(self.embedding(target), memory))


def tokenizer() -> WordTokenizer:
    """Return a tokenizer of all French number words below a thousand."""
    return WordTokenizer.fit(french(number) for number in range(1000))


def numbers_of(length: int, *, kept_back: bool) -> Int[Tensor, " numbers"]:
    """Return the numbers of so many digits that are learned, or those kept back.

    Of one digit all are learned, and all are tested.
    """
    numbers = torch.arange(0 if length == 1 else 10 ** (length - 1), 10**length)
    if length == 1:
        return numbers
    generator = torch.Generator("cpu").manual_seed(length)
    order = torch.randperm(len(numbers), generator=generator, device="cpu")
    apart = order % KEPT_BACK == 0
    return numbers[apart if kept_back else ~apart]


def draw_pictures(numbers: Int[Tensor, " batch"], length: int, part: Digits) -> Tensor:
    """Return a picture of each number, with digits drawn at random from a part.

    Args:
        numbers: What to show.
        length: How many digits each has.
        part: Where the digits come from.

    Returns:
        Images, shape (batch, 1, 8, 8 * length).
    """
    places = 10 ** torch.arange(length - 1, -1, -1)
    shown = numbers[:, None] // places % 10  # (batch, length)
    chances = (part.labels == shown[..., None]).double()  # (batch, length, digits)
    picked = chances.flatten(end_dim=1).multinomial(1)[:, 0]
    images = part.images[picked].unflatten(0, (len(numbers), length))
    return images.transpose(1, 2).transpose(2, 3).flatten(start_dim=3)


def targets_of(
    numbers: Int[Tensor, " batch"], words: WordTokenizer
) -> Int[Tensor, "batch time"]:
    """Return begin, words and end of each number, padded at the end."""
    rows = torch.full((len(numbers), LONGEST), PAD_ID)
    for row, number in zip(rows, numbers.tolist(), strict=True):
        ids = [BOS_ID, *words.encode(french(number)), EOS_ID]
        row[: len(ids)] = torch.tensor(ids)
    return rows


def train_reader(
    reader: Reader,
    length: int,
    part: Digits,
    words: WordTokenizer,
    *,
    steps: int | None = None,
    learning_rate: float = RATE,
) -> list[float]:
    """Train a reader on fresh pictures of the numbers that are learned.

    Args:
        reader: The model.
        length: How many digits the numbers have.
        part: Where the digits come from.
        words: Its tokenizer.
        steps: Number of batches; that of `STEPS` when not given.
        learning_rate: The highest, after a warm-up; a cosine leads to zero.

    Returns:
        The loss of each step, in nats.
    """
    known, losses = numbers_of(length, kept_back=False), []
    steps = STEPS[length] if steps is None else steps
    optimizer = torch.optim.Adam(reader.parameters(), lr=learning_rate, fused=True)
    for step in range(1, steps + 1):
        for group in optimizer.param_groups:
            group["lr"] = cosine_schedule(
                step,
                peak=learning_rate,
                warmup=min(WARM_UP, steps - 1),
                steps=steps,
            )
        numbers = known[torch.randint(len(known), (BATCH,))]
        target = targets_of(numbers, words)
        scores = reader(draw_pictures(numbers, length, part), target[:, :-1])
        follows = target[:, 1:].masked_fill(target[:, 1:] == PAD_ID, IGNORED)
        loss = F.cross_entropy(scores.mT, follows, ignore_index=IGNORED)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def write(
    reader: Reader, images: Float[Tensor, "batch 1 height width"], words: WordTokenizer
) -> list[str]:
    """Return what a reader writes about pictures, word by word, the likeliest first."""
    target = torch.full((len(images), 1), BOS_ID)
    for _ in range(LONGEST):
        following = reader(images, target)[:, -1].argmax(dim=-1)
        target = torch.cat((target, following[:, None]), dim=1)
    texts = []
    for ids in target[:, 1:].tolist():
        end = ids.index(EOS_ID) if EOS_ID in ids else len(ids)
        texts.append(words.decode(ids[:end]))
    return texts


def share_right(
    reader: Reader,
    length: int,
    part: Digits,
    words: WordTokenizer,
    *,
    kept_back: bool = True,
) -> float:
    """Return the share of pictures of numbers that it reads rightly.

    Args:
        reader: A trained reader.
        length: How many digits the numbers have.
        part: Where the digits come from.
        words: Its tokenizer.
        kept_back: Whether the numbers are those that were never learned.
    """
    known = numbers_of(length, kept_back=kept_back)
    numbers = known[torch.randint(len(known), (TESTED,))]
    found = write(reader, draw_pictures(numbers, length, part), words)
    wanted = [french(number) for number in numbers.tolist()]
    return sum(one == other for one, other in zip(found, wanted, strict=True)) / TESTED


@torch.no_grad()
def looks_of(
    reader: Reader, image: Float[Tensor, "1 1 height width"], words: WordTokenizer
) -> tuple[list[str], Float[Tensor, "words height width"]]:
    """Return the pieces that a reader writes, and where it looked for each of them.

    The weights are those of the last layer, averaged over the heads, one for each
    patch; what goes to the class token is left out.
    """
    (text,) = write(reader, image, words)
    ids = [BOS_ID, *words.encode(text)]
    with attention_maps(reader) as maps:
        reader(image, torch.tensor([ids]))
    weights = maps["decoder.layers.1.cross_attention"][0].mean(dim=0)[:, 1:]
    rows = image.size(2) // 2
    pieces = [words.decode([one]) for one in [*ids[1:], EOS_ID]]
    return pieces, weights.unflatten(1, (rows, -1))


def measured(length: int, seed: int) -> dict:
    """Train one reader, then return what it reads, and where it looks for a number."""
    words, split = tokenizer(), digits()
    with same_numbers(seed):
        reader = Reader(length, words).float()
        losses = train_reader(reader, length, split.learned, words)
        reader.eval()
        right = share_right(reader, length, split.tested, words)
        row = {"right": right, "nats": sum(losses[-20:]) / 20}
        options = {"kept_back": False}
        row["known"] = share_right(reader, length, split.tested, words, **options)
        if length == 3:
            image = draw_pictures(torch.tensor([SHOWN]), length, split.tested)
            pieces, weights = looks_of(reader, image, words)
            row |= {"pieces": pieces, "weights": weights.tolist()}
            row |= {"image": image[0, 0].tolist()}
    return row


if __name__ == "__main__":
    settings = [{"length": length, "seed": seed} for length in STEPS for seed in SEEDS]
    MEASUREMENTS.write(measure_all(measured, settings))
