"""The claim beneath the figure of words that have come together."""

import torch
import torch.nn.functional as F

from bookkit.checking.facts import facts, some
from chapters.start import gaussian

TEXT = (
    "the cat sleeps . the dog sleeps . a cat eats . a dog eats . "
    "the car stops . the bus stops . a car starts . a bus starts ."
)
KINDS = ("cat dog", "car bus", "the a", "sleeps eats stops starts")


def trained_rows(seed, vocabulary):
    ids = torch.tensor([vocabulary.index(word) for word in TEXT.split()])
    table = gaussian(len(vocabulary), 2, seed=seed).requires_grad_()
    output = gaussian(2, len(vocabulary), seed=100 + seed).requires_grad_()
    optimizer = torch.optim.Adam([table, output], lr=0.05)
    for _ in range(300):
        optimizer.zero_grad()
        F.cross_entropy(table[ids[:-1]] @ output, ids[1:]).backward()
        optimizer.step()
    return F.normalize(table.detach(), dim=1)


@facts("seed", some(range(20), 5))
def test_the_row_nearest_to_a_word_is_one_of_its_own_kind(seed):
    vocabulary = sorted(set(TEXT.split()))
    rows = trained_rows(seed, vocabulary)
    nearest = (rows @ rows.T).fill_diagonal_(-1).argmax(dim=1)
    for kind in map(str.split, KINDS):
        for word in kind:
            assert vocabulary[nearest[vocabulary.index(word)]] in kind
