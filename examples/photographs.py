"""Fine-tune a published ViT on photographs of your own, a folder for each label.

    python examples/photographs.py photos --steps 100 --output runs/photos
    python examples/photographs.py photos --frozen --rate 0.03 --output runs/photos
    python examples/photographs.py photos --size 384 --output runs/photos

reads photos/cat/1.jpg, photos/dog/2.png and so on. Of each label the first is held out,
and every fifth from there. With `--frozen` only the new head learns. Another `--size`
than that of the training stretches the table of positions. What is saved comes back by
`model = transformer.load_model("runs/photos")`, and its labels stand in labels.json.

Source: Dosovitskiy et al. (2021), section 3.2 and appendix B.1.1.
"""

import json
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from jaxtyping import Float
from PIL import Image, ImageOps
from torch import Tensor, nn, optim

from transformer.models import ImageEncoder
from transformer.training import cosine_schedule
from transformer.zoo import vit

KINDS = {".jpg", ".jpeg", ".png", ".webp"}
Photograph = tuple[Path, int]  # and the number of its label


def find(folder: Path) -> tuple[list[str], list[Photograph], list[Photograph]]:
    """Return the labels, the photographs to learn from, and those held out."""
    labels = sorted(path.name for path in folder.iterdir() if path.is_dir())
    learned, held_out = [], []
    for number, label in enumerate(labels):
        files = sorted(
            p for p in (folder / label).iterdir() if p.suffix.lower() in KINDS
        )
        for place, file in enumerate(files):
            part = held_out if place % 5 == 0 else learned
            part.append((file, number))
    return labels, learned, held_out


def read(file: Path, size: int) -> Float[Tensor, "3 height width"]:
    """Read a photograph as the published ViT were shown theirs, from -1 to 1."""
    with Image.open(file) as opened:
        upright = ImageOps.exif_transpose(opened).convert("RGB")  # phones lie down
    fitted = ImageOps.fit(upright, (size, size), Image.Resampling.BILINEAR)
    pixels = torch.frombuffer(bytearray(fitted.tobytes()), dtype=torch.uint8)
    channels_first = pixels.view(size, size, 3).permute(2, 0, 1)
    return (channels_first / 255 - 0.5) / 0.5


def stretched(
    table: Float[Tensor, "places d_model"], old: tuple[int, int], new: tuple[int, int]
) -> Float[Tensor, "other_places d_model"]:
    """Resize a table of positions as a picture; the class token keeps its row."""
    if old == new:
        return table
    plane = table[1:].T.unflatten(1, old)  # (d_model, rows, columns)
    plane = F.interpolate(plane[None], size=new, mode="bicubic", align_corners=False)[0]
    return torch.cat((table[:1], plane.flatten(start_dim=1).T))


def with_new_head(theirs: nn.Module, *, labels: int, size: int) -> ImageEncoder:
    """Return a published ViT with a head of zeros, for images of some size."""
    body = vit.from_hugging_face(theirs, head=None, dtype=torch.float32)
    config = replace(body.config, vocab_size=labels, image_size=size)
    tensors = body.state_dict()
    table = "embedding.positions.embedding.weight"
    grids = body.config.patch_grid, config.patch_grid
    tensors[table] = stretched(tensors[table], *grids)
    model = ImageEncoder(config)
    model.load_state_dict(tensors, strict=False)  # all but the head
    nn.init.zeros_(model.head.projection.weight)
    return model.eval()


def fine_tune(
    model: ImageEncoder,
    learned: list[Photograph],
    *,
    steps: int,
    rate: float,
    rows: int = 32,
    frozen: bool = False,
) -> list[float]:
    """Take some steps, and return the loss of each."""
    model.requires_grad_(not frozen)
    model.head.requires_grad_(True)
    learning = [p for p in model.parameters() if p.requires_grad]
    optimizer = optim.SGD(learning, lr=rate, momentum=0.9)
    model.train()
    losses = []
    for step in range(1, steps + 1):
        optimizer.param_groups[0]["lr"] = cosine_schedule(
            step, peak=rate, warmup=max(1, steps // 5), steps=steps + 1
        )
        picked = torch.randint(len(learned), (rows,)).tolist()
        images, labels = batch([learned[n] for n in picked], model)
        loss = F.cross_entropy(model(half_mirrored(images)), labels)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    return losses


def half_mirrored(images: Float[Tensor, "batch 3 height width"]) -> Tensor:
    """Exchange left and right in half of the images, by chance."""
    chosen = torch.rand(len(images), 1, 1, 1, device=images.device) < 0.5
    return torch.where(chosen, images.flip(-1), images)


def batch(part: list[Photograph], model: ImageEncoder) -> tuple[Tensor, Tensor]:
    """Read photographs as a model wants them, with their labels."""
    images = [read(file, model.config.image_size) for file, _ in part]
    labels = torch.tensor([label for _, label in part])
    return torch.stack(images).to(model.device), labels.to(model.device)


@torch.no_grad()
def right(model: ImageEncoder, part: list[Photograph], rows: int = 32) -> float:
    """Return the share of photographs whose label has the highest score."""
    found = 0
    for first in range(0, len(part), rows):
        images, labels = batch(part[first : first + rows], model)
        found += int((model(images).argmax(dim=-1) == labels).sum())
    return found / len(part)


def main() -> None:
    """Read the flags, fine-tune, and say what has become of it."""
    parser = ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="google/vit-base-patch16-224-in21k")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--rate", type=float, default=0.001)
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--frozen", action="store_true")
    parser.add_argument("--output", default="runs/photographs")
    said = parser.parse_args()

    from transformers import ViTModel

    labels, learned, held_out = find(said.folder)
    print(f"{len(labels)} labels, {len(learned)} photographs, {len(held_out)} held out")
    theirs = ViTModel.from_pretrained(said.model, add_pooling_layer=False)
    model = with_new_head(theirs, labels=len(labels), size=said.size)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    ways = {"steps": said.steps, "rate": said.rate, "rows": said.rows}
    losses = fine_tune(model, learned, frozen=said.frozen, **ways)
    print(f"loss {losses[0]:.3f} at first, {losses[-1]:.3f} at last")
    shares = (right(model, part) for part in (learned, held_out))
    print("right of what it learned {:.2f}, of the others {:.2f}".format(*shares))
    model.save(said.output)
    (Path(said.output) / "labels.json").write_text(json.dumps(labels), encoding="utf-8")


if __name__ == "__main__":
    main()
