"""What learned digits before the Transformer: two classifiers of scikit-learn."""

from collections.abc import Iterator

from chapters.beyond_words.digits import Digits, Split

STRENGTHS = (0.1, 1.0, 10.0)  # of which the part that chooses takes the best
NAMES = ("logistic regression", "support vectors")


def fitted(split: Split, count: int) -> Iterator[tuple[str, float, float]]:
    """Yield each classifier by name, and its shares of right answers.

    The first is of the digits that it has learned from, the second of the tests.

    Args:
        split: The digits.
        count: How many of them are learned from.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import SVC

    kinds = (
        lambda strength: LogisticRegression(C=strength, max_iter=5000),
        lambda strength: SVC(C=strength),
    )
    learned = as_rows(split.learned.first(count))
    for name, kind in zip(NAMES, kinds, strict=True):
        models = [kind(strength).fit(*learned) for strength in STRENGTHS]
        best = max(models, key=lambda model: model.score(*as_rows(split.chooses)))
        judged = (learned, as_rows(split.tested))
        yield name, *(float(best.score(*part)) for part in judged)


def as_rows(part: Digits) -> tuple:
    """Return pixels and labels as NumPy arrays, a row for each image."""
    return part.images.flatten(start_dim=1).numpy(), part.labels.numpy()
