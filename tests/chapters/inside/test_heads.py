"""A head's two maps give its scores and what it adds, and a score is a sum."""

import pytest
import torch
from torch.testing import assert_close

from chapters.inside import heads
from chapters.inside.reading import read
from chapters.laboratory.language_model import language_model

IDS = torch.tensor([[3, 1, 4, 2, 5, 3, 1, 4, 2, 5], [6, 2, 1, 7, 3, 6, 2, 1, 7, 3]])
HEAD = (2, 3)


@pytest.fixture(scope="module")
def model():
    model = language_model(
        seed=0,
        d_model=24,
        d_ff=28,
        num_heads=4,
        num_kv_heads=2,
        num_decoder_layers=3,
        norm="rms",
        gated=True,
        activation="silu",
        bias=False,
    ).eval()
    for name, parameter in model.named_parameters():
        if "projection" in name:
            torch.nn.init.normal_(parameter, std=0.5)
    return model


@pytest.fixture(scope="module")
def reading(model):
    return read(model, IDS)


def test_messages_weighed_and_summed_are_what_attention_adds(model, reading):
    kept = []
    attention = model.decoder.layers[HEAD[0] - 1].self_attention
    hook = attention.output_projection.register_forward_hook(
        lambda *given: kept.append(given[2])
    )
    model(IDS)
    hook.remove()
    seen = heads.seen_by(model, 2, reading.streams[1, 0])
    added = sum(
        reading.weights[1, 0, head - 1] @ heads.message(model, (2, head), seen)
        for head in range(1, 5)
    )
    assert_close(added, kept[0][0], rtol=1e-4, atol=1e-5)


def test_the_scores_are_those_of_the_weights(model, reading):
    rows = [heads.score(model, reading, HEAD, asks=4, about=s) for s in range(5)]
    weights = torch.tensor(rows).softmax(dim=0)
    assert_close(weights, reading.weights[1, 0, 2, 4, :5], rtol=1e-4, atol=1e-5)


def test_a_score_is_the_sum_of_its_parts(model, reading):
    parts = heads.parts_of_score(model, reading, (3, 2), asks=-1, about=3)
    assert len(parts) == 1 + 2 * (4 + 1)
    total = heads.score(model, reading, (3, 2), asks=-1, about=3)
    assert sum(parts.values()) == pytest.approx(total, rel=1e-4, abs=1e-4)


def test_a_question_is_the_sum_of_its_parts(model, reading):
    parts = heads.parts_of_question(model, reading, (3, 2), asks=-1, about=3)
    assert len(parts) == 1 + 2 * (4 + 1)
    total = heads.score(model, reading, (3, 2), asks=-1, about=3)
    assert sum(parts.values()) == pytest.approx(total, rel=1e-4, abs=1e-4)
    of_key = heads.parts_of_score(model, reading, (3, 2), asks=-1, about=3)
    assert parts["1.1"] != pytest.approx(of_key["1.1"], rel=1e-2)


def test_a_lead_is_the_sum_of_its_parts(model, reading):
    parts = heads.parts_of_lead(model, reading, (5, 2))
    assert len(parts) == 1 + 3 * (4 + 1)
    logits = reading.logits[0, -1]
    lead = (logits[5] - logits[2]).item()
    assert sum(parts.values()) == pytest.approx(lead, rel=1e-4, abs=1e-4)


def test_the_key_holds_the_message_alone(model, reading):
    table = heads.asked_of_messages(model, reading, (3, 1), (2, 3), back=4)
    assert table.shape == (10, 10)
    above = heads.again(reading, 2)[[7]]
    asks = heads.turned(model, (3, 1), "query", heads.seen_by(model, 3, above), 4)
    told = heads.message(model, (2, 3), heads.seen_by(model, 2, reading.streams[1, 0]))
    told = heads.gain(model, 3, heads.once(reading, 2), told[[1]])
    key = heads.turned(model, (3, 1), "key", told, 0)
    assert_close(table[7, 1], (asks @ key.T).squeeze() / 6**0.5)


def test_the_query_holds_the_message_alone(model, reading):
    table = heads.asked_by_messages(model, reading, (3, 1), (2, 3), back=4)
    told = heads.message(model, (2, 3), heads.seen_by(model, 2, reading.streams[1, 0]))
    told = heads.gain(model, 3, heads.again(reading, 2), told[[1]])
    asks = heads.turned(model, (3, 1), "query", told, 4)
    about = heads.seen_by(model, 3, heads.once(reading, 2)[[7]])
    key = heads.turned(model, (3, 1), "key", about, 0)
    assert_close(table[1, 7], (asks @ key.T).squeeze() / 6**0.5)


def test_what_a_head_raises_is_read_off_at_the_end(model, reading):
    tokens = torch.tensor([5, 2])
    found = heads.raised(model, reading, HEAD, tokens)
    told = heads.message(model, HEAD, heads.seen_by(model, 2, heads.once(reading, 1)))
    wanted = model.head((told * model.decoder.norm.weight)[None])[0][:, tokens]
    assert_close(found, wanted, rtol=1e-4, atol=1e-5)


def test_the_share_right_looks_beyond_what_all_rows_have():
    scores = torch.tensor([[1.0, 9.0], [0.0, 9.5]])
    assert heads.share_right(scores) == 1.0
    assert heads.share_right(scores.flip(0)) == 0.0


def test_the_mean_weight_back_is_taken_in_the_second_half():
    weights = torch.zeros(1, 1, 2, 4, 4)
    weights[0, 0, 1, 2, 1], weights[0, 0, 1, 3, 2] = 0.5, 1.0
    weights[0, 0, 1, 1, 0] = 0.25
    found = heads.mean_weight_back(weights, 1)
    assert_close(found, torch.tensor([[0.0, 0.75]]))
    assert heads.strongest(found, 1) == [(1, 2)]


def test_messages_are_found_in_the_streams_that_hold_them(model, reading):
    told = heads.message(model, HEAD, heads.seen_by(model, 2, heads.once(reading, 1)))
    before = torch.zeros_like(told).unflatten(0, (2, 5))
    before[:, 1:] = told.unflatten(0, (2, 5))[:, :-1]
    streams = reading.streams.clone()
    streams[2, :, :5] = before
    changed = reading._replace(streams=streams)
    before, itself = heads.read_back(model, changed, HEAD, depth=2)
    assert before > 0.8  # the means of what is compared differ a little
    assert itself < 0.2
