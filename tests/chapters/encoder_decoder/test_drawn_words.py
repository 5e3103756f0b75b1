"""One sentence, whose numbers a reader can follow, becomes the right French one."""

import torch

from bookkit.checking.facts import facts
from chapters.encoder_decoder import drawn_words as drawn

RIVER, MONEY = drawn.FEATURES.index("river"), drawn.FEATURES.index("money")
SENTENCES = {
    ("The", "bank", "blooms", "EOS"): ["la", "rive", "fleurit", "EOS"],
    ("The", "bank", "lends", "EOS"): ["la", "banque", "prête", "EOS"],
}


def test_a_row_has_the_features_of_its_word():
    (bank,) = drawn.rows(["bank"], drawn.SOURCE)
    assert bank.tolist() == [0, 2, 0, 0, 1, 1]


def test_a_bank_weighs_words_by_the_dot_products_of_the_page():
    x = drawn.rows(("The", "bank", "blooms", "EOS"), drawn.SOURCE)
    wanted = (torch.tensor([0.0, 6, 4, 0]) / 6**0.5).softmax(dim=-1)
    torch.testing.assert_close(drawn.weights(x, x)[1], wanted)


def test_the_network_adds_to_the_leader_what_it_is_ahead():
    up, down = drawn.decide()
    x = torch.tensor([[0.0, 0, 0, 0, 5, 2], [0, 0, 0, 0, 3, 4]])
    added = (x @ up).relu() @ down
    assert added.tolist() == [[0, 0, 0, 0, 3, 0], [0, 0, 0, 0, 0, 1]]


def test_the_verb_decides_what_is_noted_of_a_bank():
    notes = [drawn.read(sentence)["its note"][1] for sentence in SENTENCES]
    assert notes[0][RIVER] > 2 * notes[0][MONEY]
    assert notes[1][MONEY] == notes[0][RIVER]
    assert notes[1][RIVER] == notes[0][MONEY]


@facts("sentence", SENTENCES)
def test_word_by_word_the_right_sentence_is_written(sentence):
    memory, said = drawn.read(sentence)["its note"], ["BOS"]
    while said[-1] != "EOS" and len(said) < 7:
        said.append(drawn.best(drawn.write(said, memory)["made of it"][-1]))
    assert said[1:] == SENTENCES[sentence]


def test_a_row_is_the_same_with_and_without_later_words():
    memory = drawn.read(("The", "bank", "blooms", "EOS"))["its note"]
    alone, among = (
        drawn.write(said, memory)["made of it"][0]
        for said in (["BOS"], ["BOS", "la", "rive"])
    )
    torch.testing.assert_close(alone, among)
