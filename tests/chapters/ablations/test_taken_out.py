"""Sublayers taken out of a finished model."""

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.ablations.taken_out import (
    GROUPS,
    LAST_MAPS,
    MEASUREMENTS,
    TEXTS,
    last_maps,
    mean_written,
    rises,
    taken_out,
)
from chapters.laboratory.language_model import language_model
from chapters.laboratory.real_model import loss_of, open_model

IDS = [3, 1, 4, 1, 5, 9, 2]
ROW = torch.tensor([IDS])


@pytest.fixture(scope="module")
def model():
    return language_model(seed=0).eval()


def zeroed(seed, part, layers):
    """Return a model whose sublayers end with a map of zeros."""
    changed = language_model(seed=seed).eval()
    for layer in layers:
        last = last_maps(changed, part)[layer]
        for numbers in last.parameters():
            torch.nn.init.zeros_(numbers)
    return changed


@facts("part", LAST_MAPS)
@facts("layers", [[1], [2], [1, 2]])
@torch.no_grad()
def test_a_sublayer_taken_out_is_one_whose_last_map_is_zero(model, part, layers):
    with taken_out(model, part, [layers]):
        found = model(ROW)
    assert_close(found, zeroed(0, part, layers)(ROW))


@torch.no_grad()
def test_each_row_of_the_batch_loses_its_own_layers_and_the_model_stays(model):
    whole = model(ROW)[0]
    with taken_out(model, "attention", [(), [2], [1]]):
        found = model(ROW.expand(3, -1))
    assert_close(found[0], whole)
    for row, layer in ((1, 2), (2, 1)):
        with taken_out(model, "attention", [[layer]]):
            assert_close(found[row], model(ROW)[0])
    assert_close(model(ROW)[0], whole)


@facts("part", LAST_MAPS)
def test_a_rise_is_the_loss_without_less_the_loss_with(model, part):
    wanted = loss_of(zeroed(0, part, [2]), IDS) - loss_of(model, IDS)
    (found,) = rises(model, IDS, part, [[2]])
    assert found.item() == pytest.approx(wanted, abs=1e-5)


@torch.no_grad()
def test_instead_of_nothing_all_tokens_get_the_same_vector(model):
    other = {layer: torch.full((64,), float(layer)) for layer in (1, 2)}
    seen = []
    last = model.decoder.layers[1].feed_forward.down_projection
    with taken_out(model, "feed-forward", [[2]], other):
        hook = last.register_forward_hook(lambda *call: seen.append(call[2]))
        model(ROW)
        hook.remove()
    assert_close(seen[0], torch.full((1, len(IDS), 64), 2.0).to(seen[0]))


@torch.no_grad()
def test_the_mean_is_over_the_tokens_of_all_texts_after_those_left_out(model):
    texts, seen = ([3, 1, 4], [1, 5, 9, 2, 6]), []
    last = last_maps(model, "attention")[2]
    hook = last.register_forward_hook(lambda *call: seen.append(call[2][0]))
    for ids in texts:
        model(torch.tensor([ids]))
    hook.remove()
    found = mean_written(model, texts, "attention")[2]
    assert_close(found, torch.cat(seen).mean(dim=0))
    later = mean_written(model, texts, "attention", after=1)[2]
    assert_close(later, torch.cat([each[1:] for each in seen]).mean(dim=0))


def test_the_file_holds_each_part_in_each_way_and_the_cheapest_together():
    rows = {(row["part"], row["kind"]): row for row in MEASUREMENTS.read()}
    kinds = ("nothing", "mean", "mean after the first token", "together")
    assert set(rows) == {(part, kind) for part in LAST_MAPS for kind in kinds}
    for part in LAST_MAPS:
        alone = torch.tensor(rows[part, "nothing"]["rises"]).mean(dim=0)
        groups = rows[part, "together"]["without"]
        assert [len(group) for group in groups] == list(GROUPS)
        cheapest = (alone.argsort()[: GROUPS[-1]] + 1).tolist()
        assert groups[-1] == cheapest
    assert all(len(row["rises"]) == len(TEXTS) for row in rows.values())


def test_the_file_is_of_the_model():
    if not (smollm := open_model("smollm2-135m")):
        pytest.skip("needs SmolLM2")
    model, tokenizer = smollm
    (row, *_) = (row for row in MEASUREMENTS.read() if row["part"] == "feed-forward")
    (found,) = rises(model, tokenizer.encode(TEXTS[0]), "feed-forward", [[12]])
    assert found.item() == pytest.approx(row["rises"][0][11], abs=1e-3)
