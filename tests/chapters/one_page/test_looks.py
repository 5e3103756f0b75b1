"""The weights of cross-attention, read while a model of the file writes."""

import pytest
import torch

from chapters.one_page import looks
from chapters.one_page import one_page_transformer as page
from chapters.one_page.changes import DECODER_ONLY, changed
from chapters.one_page.looks import (
    continued_weights,
    cross_weights,
    turns,
    weights_of,
)


@pytest.fixture
def model():
    torch.manual_seed(0)
    return page.Transformer(len(page.SIGNS), **page.SIZES)


def test_there_is_a_row_for_each_written_sign(model):
    written, layers = cross_weights(page, model, "bagge")
    assert written == page.write(model, "bagge")
    assert [tuple(w.shape) for w in layers] == 2 * [(4, len(written), 5)]
    for weights in layers:
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(4, len(written)))


def test_the_weights_are_those_that_mix_the_values(model):
    attention, kept = model.decoder[1].cross_attention, []

    def keep(module, inputs, output):
        kept.append((inputs[1], output))

    _, layers = cross_weights(page, model, "bagge")
    hook = attention.register_forward_hook(keep)
    cross_weights(page, model, "bagge")
    hook.remove()
    memory, output = kept[-1]
    mixed = layers[1] @ attention.split(attention.value(memory))[0]
    expected = attention.output(mixed.transpose(0, 1).flatten(1))
    torch.testing.assert_close(output[0], expected)


def test_a_turn_goes_from_the_last_letter_to_the_first(monkeypatch):
    class Reads(torch.nn.Module):
        decoder = ()

        def forward(self, source, target):
            return source.size(1), target.tolist()

    given = []

    def weigh(attentions, run):
        length, target = run()
        given.append("".join(page.SIGNS[number] for number in target[0]))
        return [torch.eye(length).flip(0)[None], torch.eye(length)[None]]

    monkeypatch.setattr(looks, "weights_of", weigh)
    shares = turns(page, Reads(), ["abc", "fade"])
    assert shares.tolist() == [[1], [pytest.approx(1 / 7)]]
    assert given == ["<cb", "<eda"]


def test_turns_are_counted_for_each_head_of_each_layer(model):
    shares = turns(page, model, ["bagge", "fade"])
    assert shares.shape == (2, 4)
    assert torch.equal((9 * shares).round(), 9 * shares)


def test_nothing_stays_on_the_model(model):
    cross_weights(page, model, "bagge")
    assert not any(part._forward_pre_hooks for part in model.modules())


def test_hooks_are_taken_off_when_a_run_fails(model):
    def fail():
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        weights_of([model.decoder[0].cross_attention], fail)
    assert not any(part._forward_pre_hooks for part in model.modules())


def test_a_text_that_continues_looks_at_nothing_later():
    machine = changed(*DECODER_ONLY)
    torch.manual_seed(0)
    model = machine.Transformer(len(machine.SIGNS), **machine.SIZES)
    read, written, layers = continued_weights(machine, model, "bagge")
    assert read == "bagge___<" + written[:-1]
    for weights in layers:
        assert tuple(weights.shape) == (4, len(written), len(read))
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(4, len(written)))
        later = torch.ones(len(written), len(read)).triu(len(read) - len(written) + 1)
        assert (weights * later).abs().max() == 0
