"""What a model says is read up to its end."""

from types import SimpleNamespace

import torch

from chapters.manners import spoken


class Letters:
    """A tokenizer of letters, whose token 0 ends a text."""

    end_ids = (0,)

    def decode(self, ids):
        return "".join(chr(id) for id in ids)

    def chat(self, messages):
        return [len(messages), *map(ord, messages[0]["content"])]

    def encode(self, text):
        return list(range(400))


def test_an_answer_ends_with_its_first_end():
    assert spoken.until_the_end(Letters(), [65, 66, 0, 67]) == "AB"
    assert spoken.until_the_end(Letters(), [65, 66]) == "AB"


def test_each_question_is_a_talk_of_its_own(monkeypatch):
    def generate(model, prompts, **options):
        asked.append((prompts, options))
        return torch.tensor([[65, 0], [66, 67]])

    asked = []
    monkeypatch.setattr(spoken, "generate", generate)
    assert spoken.say(None, Letters(), ["a", "b"], longest=7) == ["A", "BC"]
    [(prompts, options)] = asked
    assert prompts == [[1, 97], [1, 98]]
    assert options == {"max_new_tokens": 7, "eos_id": (0,)}


def test_the_control_is_the_beginning_of_a_book(monkeypatch):
    read = []
    monkeypatch.setattr(spoken, "loss_of", lambda model, ids: read.append(len(ids)))
    spoken.control_loss(SimpleNamespace(), Letters())
    assert read == [spoken.CONTROL]
