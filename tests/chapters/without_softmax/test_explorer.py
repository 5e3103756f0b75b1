"""The explorer of a state writes and reads as linear attention of the package does."""

import torch

from chapters.without_softmax import explorer
from transformer.layers import recurrent_linear_attention

VALUES = torch.tensor(explorer.VALUES, dtype=torch.float64)
OTHERS = ((1.3, -0.4), (0.2, 2.0), (-1.1, 0.7))
SETS = [explorer.KEYS, OTHERS, ((1, 0), (0, 1), (0, -1))]
ALL = [(torch.tensor(keys).double(), word) for keys in SETS for word in range(3)]


def attend(keys, word):
    """Return what the last of three words reads if it asks with the key of a word."""
    query = keys[word].expand(3, 2)
    given = (part[None, None] for part in (query, keys, VALUES))
    return recurrent_linear_attention(*given).values[0, 0, -1]


def test_script_reads_what_linear_attention_reads(ask):
    tell = "(keys, values, word) => math.read(math.state(keys, values), keys[word])"
    asked = [[tell, keys.tolist(), explorer.VALUES, word] for keys, word in ALL]
    expected = torch.stack([attend(keys, word) for keys, word in ALL])
    found = torch.tensor(ask("without_softmax", *asked)).double()
    torch.testing.assert_close(found, expected, rtol=0, atol=1e-6)


def test_own_and_others_make_what_is_read(ask):
    asked = [["math.parts", keys.tolist(), explorer.VALUES, word] for keys, word in ALL]
    parts = ask("without_softmax", *asked)
    for (keys, word), part in zip(ALL, parts, strict=True):
        own, others = (torch.tensor(part[name]).double() for name in ("own", "others"))
        length = keys[word] @ keys[word]
        torch.testing.assert_close(own, length * VALUES[word], rtol=0, atol=1e-6)
        read = attend(keys, word)
        torch.testing.assert_close(own + others, read, rtol=0, atol=1e-6)


def test_first_picture_is_the_example_of_the_chapter():
    html = explorer.show()._repr_html_()
    assert "rows (5.0, 6.0) and (3.0, 8.0). Word 1 reads (5.0, 6.0)" in html
