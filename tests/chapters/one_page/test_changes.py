"""Other lines in the file make another machine, and what leaks is measured."""

import math

import pytest
import torch

from bookkit.checking.facts import facts
from chapters.one_page import one_page_transformer as page
from chapters.one_page.changes import (
    AS_IN_BERT,
    DECODER_ONLY,
    NORM_FIRST,
    apart,
    changed,
    difference,
    first_loss,
    leak,
    padding_leak,
    record,
)
from transformer.config import TransformerConfig
from transformer.models import DecoderOnlyTransformer, Transformer

NO_CAUSE = ("allowed.tril().bool()", "allowed.bool()")
NO_PADDING = ("not_pad = (source != PAD)", "not_pad = (source == source)")


@pytest.fixture(autouse=True)
def _double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def test_a_change_makes_another_module_and_leaves_the_file():
    other = changed(("PAD, START, END = 0, 1, 2", "PAD, START, END = 0, 1, 7"))
    assert (other.END, page.END) == (7, 2)


def test_several_pieces_change_in_turn():
    other = changed(("END = 0, 1, 2", "END = 0, 1, 7"), ("0, 1, 7", "0, 1, 8"))
    assert other.END == 8


def test_a_changed_machine_is_not_trained_by_itself(capsys):
    changed(NO_CAUSE)
    assert capsys.readouterr().out == ""


@facts("piece, count", [("absent", 0), ("return", r"\d+")])
def test_a_piece_must_be_there_once(piece, count):
    with pytest.raises(ValueError, match=f"must hold '{piece}' once.* {count} times"):
        changed((piece, ""))


def test_the_file_leaks_nothing():
    assert leak(page) == 0
    assert padding_leak(page) < 1e-12


def test_without_the_causal_mask_the_future_leaks():
    assert leak(changed(NO_CAUSE)) > 0.1


def test_without_the_mask_of_padding_paddings_count():
    assert padding_leak(changed(NO_PADDING)) > 1e-3
    assert leak(changed(NO_PADDING)) == 0


def test_the_file_is_the_package_and_a_changed_one_is_not():
    assert apart(page) < 1e-12
    assert apart(changed(NO_CAUSE)) > 0.1


SIZES = {
    "vocab_size": 13,
    "d_model": 22,
    "num_heads": 2,
    "d_ff": 17,
    "num_decoder_layers": 3,
}


def copied(theirs, ours):
    for one, other in zip(theirs.parameters(), ours.parameters(), strict=True):
        one.data.copy_(other.data)
    return theirs


def test_with_the_norm_first_it_is_the_package_with_the_norm_first():
    machine = changed(*NORM_FIRST)
    torch.manual_seed(0)
    model = machine.Transformer(13, 22, 2, 17, 3)
    config = TransformerConfig(**SIZES, num_encoder_layers=3, norm_placement="pre")
    source, target = torch.randint(1, 13, (5, 11)), torch.randint(1, 13, (5, 7))
    found = model(source, target)
    wanted = copied(Transformer(config), model)(source, target)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-11)


def test_as_in_bert_its_layers_are_those_of_the_encoder_of_the_package():
    torch.manual_seed(0)
    config = TransformerConfig(
        **SIZES, num_encoder_layers=3, activation="gelu", attention_bias=True
    )
    package = Transformer(config).encoder
    layers = [changed(*AS_IN_BERT).EncoderLayer(22, 2, 17) for _ in range(3)]
    x, real = torch.randn(5, 11, 22), torch.rand(5, 1, 1, 11) < 0.7
    real[..., 0] = True
    found = x
    for layer, theirs in zip(layers, package.layers, strict=True):
        found = layer(found, real)
        copied(theirs, layer)
    wanted = package(x, mask=real)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-11)


def test_without_a_source_it_is_the_language_model_of_the_package():
    machine = changed(*DECODER_ONLY)
    torch.manual_seed(0)
    model = machine.Transformer(13, 22, 2, 17, 3)
    config = TransformerConfig(**SIZES, num_encoder_layers=0)
    ids = torch.randint(1, 13, (5, 11))
    wanted = copied(DecoderOnlyTransformer(config), model)(ids)
    torch.testing.assert_close(model(ids), wanted, rtol=0, atol=1e-11)


def test_the_language_model_is_trained_on_row_and_answer(capsys):
    machine = changed(*DECODER_ONLY)
    model = machine.train(1, shown=(0,))
    assert "step   0" in capsys.readouterr().out
    assert set(machine.write(model, "bag")) <= set(machine.SIGNS)


def test_a_difference_lists_lines_of_the_model_that_go_and_come():
    assert difference(NO_CAUSE).splitlines() == [
        "-        causal = allowed.tril().bool()  # row t sees columns 0 to t",
        "+        causal = allowed.bool()  # row t sees columns 0 to t",
    ]
    assert difference(("for number in ids[1:]", "for number in ids")) == ""
    assert "draw_rows" not in difference(*DECODER_ONLY)


def test_a_record_holds_every_tenth_step_as_it_is_printed(capsys):
    kept = record(page, 20)
    assert capsys.readouterr().out == ""
    assert list(kept) == [0, 10, 20]
    page.train(0, shown=(0,))
    loss, text = kept[0]
    assert capsys.readouterr().out == f"step   0: loss {loss:.2f}, writes {text}\n"
    assert first_loss(page) == loss


def test_what_cannot_be_trained_says_so():
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        record(changed(("mixed.transpose(1, 2).flatten(2)", "mixed.flatten(2)")), 1)


def test_heads_that_are_cut_without_the_transpose_leak():
    cut = (
        "x = x.unflatten(-1, (self.num_heads, -1))\n        return x.transpose(1, 2)",
        "return x.reshape(len(x), self.num_heads, x.size(1), -1)",
    )
    assert leak(changed(cut)) > 0.1


def test_a_mask_that_writes_the_score_zero_leaks():
    zero = ("masked_fill(~mask, -torch.inf)", "masked_fill(~mask, 0)")
    assert leak(changed(zero)) > 0.1


@facts("seed", [0, 1, 2])
def test_the_first_loss_sees_the_shift_by_the_shared_matrix_alone(seed):
    drawn = ("torch.manual_seed(0)", f"torch.manual_seed({seed})")
    no_shift = ("given, labels = target[:, :-1]", "given, labels = target[:, 1:]")
    own_matrix = (
        ("x @ self.embedding.weight.T", "self.head(x)"),
        (
            "self.encoder, self.decoder =",
            "self.head = nn.Linear(d_model, vocab_size, bias=False)\n"
            "        self.encoder, self.decoder =",
        ),
    )
    guess = math.log(len(page.SIGNS))
    assert first_loss(changed(drawn)) > guess + 1
    assert first_loss(changed(drawn, no_shift)) < guess - 1
    for shift in ((), (no_shift,)):
        assert abs(first_loss(changed(drawn, *own_matrix, *shift)) - guess) < 0.6
