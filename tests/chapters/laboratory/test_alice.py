"""The book is cut into windows without a gap."""

import torch

from chapters.laboratory import alice


class Letters:
    """A tokenizer with a token for each letter."""

    def encode(self, text):
        return [ord(letter) for letter in text]


def test_the_book_begins_and_ends_as_its_two_chapters_do():
    text = alice.book()
    assert text.startswith("Alice was beginning to get very tired of sitting by her")
    assert text.endswith("and the whole party swam to the shore.")


def test_windows_follow_on_one_another_and_a_rest_is_left_out():
    ids = alice.windows(Letters(), size=1009)
    letters = "".join(map(chr, ids.flatten().tolist()))
    assert ids.size(1) == 1009
    assert alice.book().startswith(letters)
    assert 0 <= len(alice.book()) - len(letters) < 1009


def test_so_many_windows_are_the_first_ones():
    few = alice.windows(Letters(), size=101, count=3)
    assert torch.equal(few, alice.windows(Letters(), size=101)[:3])
    assert few.shape == (3, 101)
