"""The explorer of windows lets tokens see what the masks of the package do."""

from itertools import product

import torch

from bookkit.checking.facts import facts
from chapters.long_texts import explorer
from transformer.layers import window_mask

TOKENS = explorer.TOKENS
WINDOWS = range(1, TOKENS + 1)


def hear(ask, window, layers, *, sink):
    """Return whom the script lets each token hear of, through each number of layers."""
    asked = [["math.heard", t, window, layers, sink] for t in range(TOKENS)]
    heard = torch.zeros(layers, TOKENS, TOKENS, dtype=torch.bool)
    for t, found in enumerate(ask("long_texts", *asked)):
        all_keys = [key for keys in found for key in keys]
        assert sorted(all_keys) == sorted({*all_keys})  # none twice
        for layer, keys in enumerate(found):
            heard[layer:, t, keys] = True
    return heard


@facts("sink", [False, True])
def test_tokens_hear_what_one_layer_after_the_other_brings(ask, sink):
    for window in WINDOWS:
        mask = window_mask(TOKENS, window=window, sink_tokens=int(sink)).long()
        heard, reached = hear(ask, window, 5, sink=sink), torch.eye(TOKENS).long()
        for layer in range(5):
            reached = (mask @ reached).clamp(max=1)
            assert torch.equal(heard[layer], reached.bool())


def test_layers_reach_back_as_far_as_the_theorem_says(ask):
    for window, layers in product((1, 2, 4), (1, 2, 3)):
        far = min(layers * (window - 1), TOKENS - 1)
        last = hear(ask, window, layers, sink=False)[-1, -1]
        assert last.nonzero().flatten().tolist() == [*range(TOKENS - 1 - far, TOKENS)]


def test_a_cache_keeps_the_window_and_the_first_token(ask):
    asked = [["math.kept", TOKENS, w, s] for w, s in product(WINDOWS, (False, True))]
    masks = (
        window_mask(TOKENS, window=w, sink_tokens=int(s))
        for w, s in product(WINDOWS, (False, True))
    )
    assert ask("long_texts", *asked) == [int(mask[-1].sum()) for mask in masks]


def test_every_key_has_its_square_and_no_two_share_one(ask):
    html = explorer.show()._repr_html_()
    cells = html.split('class="cells" d="')[1].split('"')[0].split("z")[:-1]
    assert len({*cells}) == len(cells) == TOKENS * (TOKENS + 1) // 2
    assert "token 11 sees tokens 8 to 11. Through 3 layers it hears from 9" in html
