import base64
import io

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from bookkit.checking.compare import compare_png
from bookkit.checking.compare.png import MAX_PIXELS
from bookkit.checking.facts import facts


def encode(levels, **options):
    file = io.BytesIO()
    Image.fromarray(levels).save(file, format="PNG", **options)
    return file.getvalue()


def white(*size):
    return np.full((*size, 3), 255, dtype=np.uint8)


def changed(levels, place, by):
    copy = levels.astype(int)
    copy[place] -= by
    return encode(copy.astype(np.uint8))


def test_the_same_pixels_in_other_bytes_are_equal(png):
    levels = np.asarray(Image.open(io.BytesIO(png)))
    other = encode(levels, compress_level=1)
    assert other != png
    assert compare_png(png, other) is None


def test_base64_is_read(png):
    text = base64.encodebytes(png).decode()
    assert compare_png(text, png) is None


def test_two_levels_everywhere_are_tolerated():
    picture = white(30, 50)
    assert compare_png(encode(picture), changed(picture, ..., 2)) is None


def test_three_levels_everywhere_are_caught():
    picture = white(30, 50)
    difference = compare_png(encode(picture), changed(picture, ..., 3))
    assert difference == "the pictures differ all over: RMS 3.0 of 255, allowed 2"


def test_sixteen_levels_of_one_pixel_are_tolerated():
    picture = white(1000, 1000)
    assert compare_png(encode(picture), changed(picture, (501, 703), 16)) is None


def test_seventeen_levels_of_one_pixel_in_a_large_picture_are_caught():
    picture = white(1000, 1000)
    assert compare_png(encode(picture), changed(picture, (501, 703), 17)) == (
        "the pictures differ most near pixel (700, 500) from the top left: "
        "RMS 4.2 of 255, allowed 4"
    )


def test_the_last_row_and_column_are_compared():
    picture = white(29, 47)
    assert compare_png(encode(picture), changed(picture, (28, 46), 17))


def test_a_missing_bar_is_caught(figure, png):
    assert compare_png(png, figure(format="png", bars=(3, 5, 0, 7, 4)))


def test_noise_of_another_processor_is_tolerated(figure, png):
    assert compare_png(png, figure(format="png", noise=1e-6)) is None


def test_opacity_is_compared():
    clear, solid = np.zeros((7, 5, 4), np.uint8), np.zeros((7, 5, 4), np.uint8)
    solid[..., 3] = 255
    assert compare_png(encode(clear), encode(solid))


def test_the_color_of_clear_pixels_does_not_count():
    black, red = np.zeros((7, 5, 4), np.uint8), np.zeros((7, 5, 4), np.uint8)
    red[..., 0] = 255
    assert compare_png(encode(black), encode(red)) is None


def test_another_size_is_caught():
    assert compare_png(encode(white(30, 50)), encode(white(30, 51))) == (
        "the stored picture has 50 by 30 pixels, the computed one 51 by 30"
    )


def test_a_picture_too_large_is_refused():
    large = encode(np.zeros((1, MAX_PIXELS + 1), np.uint8))
    assert "draw it smaller" in compare_png(encode(white(3, 5)), large)


def test_sixteen_bits_are_refused():
    deep = encode(np.zeros((3, 5), np.uint16))
    assert compare_png(deep, encode(white(3, 5))) == (
        "the stored picture is not one picture of 8 bits a channel"
    )


def test_an_animation_is_refused():
    frames = [Image.fromarray(white(3, 5)), Image.new("RGB", (5, 3))]
    file = io.BytesIO()
    frames[0].save(file, format="PNG", save_all=True, append_images=frames[1:])
    assert "not one picture" in compare_png(encode(white(3, 5)), file.getvalue())


@facts("bad", ["no base64!", "AAAA", b"", b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_picture_is_named(bad):
    difference = compare_png(encode(white(3, 5)), bad)
    assert difference.startswith("the computed picture is not")


@given(st.data())
def test_a_damaged_picture_never_raises(data):
    good = encode(white(7, 11))
    bad = bytearray(good)
    for _ in range(3):
        bad[data.draw(st.integers(0, len(bad) - 1))] = data.draw(st.integers(0, 255))
    assert isinstance(compare_png(good, bytes(bad)), str | None)
