"""The example of photographs reads them upright, and a small ViT learns from them."""

import json
import sys
from math import log
from pathlib import Path

import pytest
import torch
from PIL import Image
from torch.testing import assert_close
from transformers import ViTConfig, ViTModel

from bookkit.book.files import find_root
from bookkit.checking.facts import facts
from transformer import load_model

sys.path.insert(0, str(find_root(Path(__file__)) / "examples"))

import photographs

SIZE = 10
ORIENTATION = 0x0112  # the tag of EXIF
RED, BLUE = (255, 0, 0), (0, 0, 255)


@pytest.fixture
def published():
    torch.manual_seed(0)
    config = ViTConfig(
        image_size=SIZE,
        patch_size=2,
        hidden_size=20,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=28,
    )
    return ViTModel(config, add_pooling_layer=False).eval()


@pytest.fixture
def folder(tmp_path):
    """Six photographs of a dark sky and six of a bright one, of several sizes."""
    generator = torch.Generator().manual_seed(0)
    for label, color in (("night", (20, 20, 60)), ("day", (120, 180, 250))):
        (tmp_path / "photos" / label).mkdir(parents=True)
        for n in range(6):
            noise = torch.randint(-15, 5, (3,), generator=generator).tolist()
            shade = tuple(c + x for c, x in zip(color, noise, strict=True))
            picture = Image.new("RGB", (23 + n, 17), shade)
            picture.save(tmp_path / "photos" / label / f"{n}.png")
    (tmp_path / "photos" / "day" / "notes.txt").write_text("no photograph")
    return tmp_path / "photos"


def test_each_label_is_in_both_parts_and_no_photograph_is(folder):
    labels, learned, held_out = photographs.find(folder)
    assert labels == ["day", "night"]
    assert [label for _, label in learned] == [0] * 4 + [1] * 4
    assert [path.stem for path, _ in held_out] == ["0", "5"] * 2
    assert not {*learned} & {*held_out}


def test_colors_come_first_and_go_from_minus_one_to_one(tmp_path):
    picture = Image.new("RGB", (SIZE, SIZE), RED)
    picture.paste(BLUE, (0, 0, SIZE, 5))  # the upper half
    picture.save(tmp_path / "a.png")
    found = photographs.read(tmp_path / "a.png", SIZE)
    assert found.shape == (3, SIZE, SIZE)
    assert found[:, 0, 0].tolist() == [-1, -1, 1]
    assert found[:, -1, 0].tolist() == [1, -1, -1]


def test_a_photograph_that_lies_down_is_read_upright(tmp_path):
    picture = Image.new("RGB", (SIZE, 2 * SIZE), RED)
    picture.paste(BLUE, (0, 0, SIZE, SIZE))
    tags = Image.Exif()
    tags[ORIENTATION] = 8  # turn it a quarter to the left: what was above is left
    picture.save(tmp_path / "a.png", exif=tags)
    found = photographs.read(tmp_path / "a.png", SIZE)
    assert found[:, 5, 1].tolist() == [-1, -1, 1]
    assert found[:, 5, -2].tolist() == [1, -1, -1]


def test_a_gray_picture_has_three_colors(tmp_path):
    Image.new("LA", (SIZE, SIZE), (255, 9)).save(tmp_path / "a.png")
    assert_close(photographs.read(tmp_path / "a.png", SIZE), torch.ones(3, SIZE, SIZE))


def test_a_stretched_table_keeps_the_class_token_and_the_plane():
    rows, columns = torch.meshgrid(torch.arange(6.0), torch.arange(8.0), indexing="ij")
    plane = torch.stack((rows, columns), dim=-1).flatten(0, 1)  # where each patch is
    table = torch.cat((torch.tensor([[7.0, -7.0]]), plane))
    found = photographs.stretched(table, (6, 8), (12, 16))
    assert_close(found[0], table[0])
    # Away from the border; patch 4 of twice as many has its middle at 1.75 of before.
    inner = found[1:].unflatten(0, (12, 16))[4:8, 4:12]
    bent = {"rtol": 0, "atol": 0.05}  # PyTorch's cubic is no line on a line
    assert_close(inner[:, 0, 0], 1.75 + 0.5 * torch.arange(4), **bent)
    assert_close(inner[0, :, 1], 1.75 + 0.5 * torch.arange(8), **bent)
    assert photographs.stretched(table, (6, 8), (6, 8)) is table


def test_a_new_head_knows_nothing_and_the_rest_is_as_published(published):
    model = photographs.with_new_head(published, labels=3, size=SIZE)
    images = torch.randn(2, 3, SIZE, SIZE)
    assert_close(model(images), torch.zeros(2, 3))
    assert_close(model.encode(images), published(images).last_hidden_state)


def test_a_larger_picture_has_more_patches(published):
    model = photographs.with_new_head(published, labels=3, size=2 * SIZE)
    assert model.encode(torch.randn(1, 3, 2 * SIZE, 2 * SIZE)).shape == (1, 101, 20)
    table = published.embeddings.position_embeddings[0]
    expected = photographs.stretched(table, (5, 5), (10, 10))
    assert_close(model.embedding.positions.embedding.weight, expected)


@facts("frozen", [True, False])
def test_photographs_are_learned_and_a_frozen_body_stays(frozen, folder, published):
    _, learned, held_out = photographs.find(folder)
    model = photographs.with_new_head(published, labels=2, size=SIZE)
    images = torch.randn(2, 3, SIZE, SIZE)
    before = model.encode(images)
    ways = {"steps": 30, "rate": 0.1, "rows": 8}
    losses = photographs.fine_tune(model, learned, frozen=frozen, **ways)
    assert losses[0] == pytest.approx(log(2))
    assert losses[-1] < 0.3
    assert photographs.right(model, held_out, rows=3) == 1.0
    assert torch.equal(model.encode(images), before) == frozen
    assert not model.training


def test_some_images_are_mirrored_and_none_stands_on_its_head():
    images = torch.randn(40, 3, 5, 7)
    found = photographs.half_mirrored(images)
    kept = (found == images).flatten(1).all(dim=1)
    assert 5 < kept.sum() < 35
    assert torch.equal(found[~kept], images[~kept].flip(dims=[3]))


def test_half_of_what_is_right_is_a_half(folder, published):
    _, learned, _ = photographs.find(folder)
    model = photographs.with_new_head(published, labels=2, size=SIZE)
    model.head.projection.bias.data[1] = 1.0  # everything is a night
    assert photographs.right(model, learned, rows=3) == 0.5


@facts("size", [SIZE, 2 * SIZE])
def test_the_script_saves_what_it_has_learned(
    size, folder, published, monkeypatch, capsys
):
    source, mine = folder.parent / "published", folder.parent / "mine"
    published.save_pretrained(source)
    flags = [f"--model={source}", f"--size={size}", "--steps=25", "--rate=0.1"]
    command = ["photographs.py", str(folder), *flags, "--rows=8", f"--output={mine}"]
    monkeypatch.setattr("sys.argv", command)
    photographs.main()
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "2 labels, 8 photographs, 4 held out"
    assert said[-1] == "right of what it learned 1.00, of the others 1.00"
    assert json.loads((mine / "labels.json").read_text()) == ["day", "night"]
    model = load_model(mine)
    images, labels = photographs.batch(photographs.find(folder)[2], model)
    assert torch.equal(model(images).argmax(dim=-1), labels)
