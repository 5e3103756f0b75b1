"""Pictures and words in one space: batches, vectors, and a loss that falls."""

import torch
import torch.nn.functional as F
from torch.testing import assert_close
from transformers.models.clip.modeling_clip import image_text_contrastive_loss

from chapters.beyond_words.digits import digits
from chapters.beyond_words.pairs import (
    FACTOR,
    Pairs,
    contrastive_loss,
    one_of_each,
    train_pairs,
)
from chapters.laboratory.fit import same_numbers


def test_the_loss_by_hand():
    """Two pairs, whose own scores are higher by log 3: each chance is 3/4."""
    scores = torch.tensor([[3.0, 1], [1, 3]], dtype=torch.float64).log()
    assert_close(contrastive_loss(scores).exp(), torch.tensor(4 / 3).double())


def test_the_loss_is_that_of_hugging_face():
    scores = torch.randn(7, 7, dtype=torch.float64)
    assert_close(contrastive_loss(scores), image_text_contrastive_loss(scores))


def test_a_batch_has_one_of_each():
    generator = torch.Generator().manual_seed(3)
    first, second = (one_of_each(digits().learned, generator) for _ in range(2))
    assert first.labels.tolist() == [*range(10)] == second.labels.tolist()
    assert not torch.equal(first.images, second.images)


def test_vectors_have_length_one_and_scores_are_cosines():
    model, part = Pairs().double().eval(), digits().tested.first(4)
    with torch.no_grad():
        vectors = model.vectors(part.images)
        scores = model(part.images, torch.arange(10))
    assert_close(vectors.norm(dim=1), torch.ones(4).double())
    words = F.normalize(model.words.weight, dim=1)
    assert_close(scores, FACTOR * vectors @ words.T)


def test_the_loss_falls():
    with same_numbers(0):
        model = Pairs().float()
    options = {"steps": 30, "learning_rate": 3e-3, "seed": 0}
    losses = train_pairs(model, digits().learned, **options)
    assert sum(losses[-5:]) < 0.9 * sum(losses[:5])
