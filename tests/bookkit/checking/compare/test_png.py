import base64
import io

import numpy as np
from PIL import Image

from bookkit.checking.compare.png import compare_png


def encode(levels, **options):
    file = io.BytesIO()
    Image.fromarray(levels).save(file, format="PNG", **options)
    return base64.encodebytes(file.getvalue()).decode()  # which breaks its lines


def white(*size):
    return np.full((*size, 3), 255, dtype=np.uint8)


def changed(levels, place, by):
    copy = levels.astype(int)
    copy[place] -= by
    return encode(copy.astype(np.uint8))


def test_the_same_pixels_in_other_bytes_are_equal(png):
    levels = np.asarray(Image.open(io.BytesIO(base64.b64decode(png))))
    other = encode(levels, compress_level=1)
    assert other != png
    assert compare_png(png, other) is None


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
    # The last tile has three pixels, not sixteen, over which a difference spreads.
    assert compare_png(encode(picture), changed(picture, (28, 46), 8))


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
