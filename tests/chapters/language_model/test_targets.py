"""The curve to hold one's own against: three seeds, one plan, and what extends it."""

import torch

from chapters.language_model import targets
from chapters.language_model.pretrain import new_model


def test_the_model_has_the_numbers_of_the_page_in_float32():
    torch.manual_seed(1)
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    torch.manual_seed(1)
    page = new_model(270)
    torch.set_default_dtype(usual)
    for ours, theirs in zip(
        targets.begun(1, 270).parameters(), page.parameters(), strict=True
    ):
        assert ours.dtype == torch.float32
        assert torch.equal(ours, theirs.float())
    assert torch.get_default_dtype() == usual


def test_the_rate_is_chosen_by_a_seed_that_is_not_counted():
    rows = [
        {"run": "rate", "rate": rate, "seed": 9, "losses": [7.0, loss]}
        for rate, loss in zip(targets.RATES, (5.0, 4.0, 6.0), strict=True)
    ]
    assert next(targets.pending(rows[:2])) == {"run": "rate", "rate": 1e-2, "seed": 9}
    wanted = list(targets.pending(rows))
    assert {x["rate"] for x in wanted} == {3e-3}
    assert [x["seed"] for x in wanted] == [0, 1, 2, 0, 1, 0, 1, 2]
    assert next(targets.pending([*rows, wanted[0]])) == wanted[1]


def test_an_extended_training_is_seen_twice_at_its_first_end(monkeypatch):
    monkeypatch.setattr(targets, "FIRST", 100)
    monkeypatch.setattr(targets, "STEPS", 200)
    asked = []

    def steps(model, learn, held_out, steps, *, peak, save, seed, every=None):
        asked.append((steps, peak, seed, save))
        for step in range(0, steps, every) if every else [steps]:
            yield step, 1.0, True

    tokenizer = type("Few", (), {"vocab_size": 270})
    monkeypatch.setattr(targets, "train", steps)
    monkeypatch.setattr(targets, "loss_of", lambda model, ids: 0.5)
    monkeypatch.setattr(targets, "cut", lambda *texts: (tokenizer, [1, 2, 3], [1, 2]))
    monkeypatch.setattr(targets, "BEGIN", "x")
    model = type("Mute", (), {"generate": lambda *_, **__: "said"})()
    monkeypatch.setattr(targets, "begun", lambda seed, size: model)
    row = targets.measured("extended", 3e-3, 2)
    assert row["steps"] == [100, 200]
    assert row["texts"] == ["said", "said"]
    assert [x[:3] for x in asked] == [(100, 3e-3, 2), (200, 3e-3, 2)]
    assert asked[0][3] == asked[1][3] is not None
    asked.clear()
    targets.measured("in one go", 3e-3, 2)
    assert asked == [(200, 3e-3, 2, None)]
    asked.clear()
    row = targets.measured("on the page", 3e-3, 1)
    assert row["steps"] == [0, targets.ON_PAGE]  # of the same plan, and no more
    assert asked == [(200, 3e-3, 1, None)]
