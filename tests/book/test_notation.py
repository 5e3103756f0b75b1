"""What the page of symbols says of a mask is what the package does."""

import torch

from bookkit.book.files import find_root
from transformer.layers import scaled_dot_product_attention
from transformer.layers.masks import causal_mask


def test_true_is_seen():
    page = (find_root() / "book/notation.md").read_text(encoding="utf-8")
    assert "`True` where query $t$ *may attend* to key $s$" in page
    x = torch.randn(1, 5, 7, dtype=torch.float64)
    one = torch.zeros(5, 5, dtype=torch.bool)
    one[:, 2] = True
    found = scaled_dot_product_attention(x, x, x, mask=one, need_weights=True)
    assert (found.weights[0, :, 2] == 1).all()
    assert causal_mask(5)[3].tolist() == [True, True, True, True, False]
