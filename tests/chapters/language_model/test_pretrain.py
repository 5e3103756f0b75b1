"""The training on the page learns, goes on as if never stopped, and can be copied."""

import re
import runpy
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F

from bookkit.book.files import find_root
from bookkit.book.notebooks import read_notebook
from chapters.language_model import pretrain
from transformer.zoo import load

TEXT = "The sea was calm. Nobody spoke, and the boat went on by itself.\n" * 60
SMALL = {"d_model": 12, "d_ff": 10, "num_heads": 2, "num_decoder_layers": 1}
PAGE = find_root(Path(__file__)) / "book" / "own" / "language_model.ipynb"


@pytest.fixture(scope="module")
def texts():
    return pretrain.cut(TEXT, TEXT[:700], vocab_size=261)


def model(tokenizer, seed=0):
    torch.manual_seed(seed)
    return pretrain.new_model(tokenizer.vocab_size, max_len=7, **SMALL).float()


def trained(texts, steps, **way):
    tokenizer, learn, held_out = texts
    learner = model(tokenizer)
    way = {"every": 5, "count": 3} | way
    seen = list(pretrain.train(learner, learn, held_out, steps, **way))
    return learner, seen


def weights(learner):
    return torch.cat([x.detach().flatten() for x in learner.parameters()])


def test_a_text_is_cut_by_what_is_learned_alone(texts):
    tokenizer, learn, held_out = texts
    assert tokenizer.decode(learn.tolist()) == TEXT
    assert tokenizer.decode(held_out.tolist()) == TEXT[:700]
    other, _, _ = pretrain.cut(TEXT, "zebra " * 999, vocab_size=261)
    assert other.to_dict() == tokenizer.to_dict()


def test_whole_parts_are_held_out_and_nothing_is_lost():
    parts = [f"<{n}>" for n in range(1, 24)]
    learn, held_out = pretrain.hold_out(parts)
    assert held_out == "<10><20>"
    assert learn == "".join(parts).replace("<10>", "").replace("<20>", "")


def test_of_few_parts_the_last_is_held_out():
    assert pretrain.hold_out(["a", "b", "c"]) == ("ab", "c")
    assert pretrain.hold_out(["a", "b", "c"], every=2) == ("ac", "b")


def test_a_text_of_one_part_is_refused():
    """Without the mark of its chapters all of it would be held out, or nothing."""
    with pytest.raises(ValueError, match=r"two parts or more.*got 1"):
        pretrain.hold_out(["all in one"])


def test_a_text_shorter_than_a_window_is_refused(texts):
    tokenizer, learn, held_out = texts
    learner = model(tokenizer)
    assert pretrain.loss_of(learner, held_out[:8]) > 0  # one window and its labels
    for one, other in ((learn, held_out[:7]), (learn[:7], held_out)):
        with pytest.raises(ValueError, match="over 7 tokens, got 7"):
            list(pretrain.train(learner, one, other, 1))


def test_the_loss_of_a_text_is_the_mean_of_its_windows(texts):
    tokenizer, learn, _ = texts
    # 299 windows, of which 292 are read at once, and a rest
    learner, ids = model(tokenizer), learn.repeat(9)[: 7 * 299 + 4]
    nats = []
    for start in range(0, 7 * 299, 7):
        row = ids[start : start + 8][None]
        nats.append(F.cross_entropy(learner(row[:, :-1]).mT, row[:, 1:]).item())
    assert pretrain.loss_of(learner, ids) == pytest.approx(sum(nats) / 299, abs=1e-6)
    assert learner.training


def test_windows_are_as_long_as_a_model_reads_and_256_at_most(texts, monkeypatch):
    """SmolLM2 reads 8,192 tokens, and a short text has fewer."""
    tokenizer, learn, _ = texts
    asked = []
    for longest in (7, 256, 257):
        learner = pretrain.new_model(tokenizer.vocab_size, max_len=longest, **SMALL)
        learner.register_forward_pre_hook(lambda _, x: asked.append(tuple(x[0].shape)))
        pretrain.loss_of(learner, learn[:300])
        list(pretrain.train(learner, learn, learn[:300], 1, count=3))
    assert {rows[1] for rows in asked} == {7, 256}
    assert asked[-3:] == [(1, 256), (3, 256), (1, 256)]


def test_the_loss_is_taken_without_dropout(texts):
    tokenizer, learn, _ = texts
    learner = pretrain.new_model(tokenizer.vocab_size, max_len=7, dropout=0.5, **SMALL)
    assert len({pretrain.loss_of(learner, learn[:99]) for _ in range(3)}) == 1


def test_the_rate_rises_and_falls_by_the_plan():
    rates = [pretrain.rate(step, 2000, 1.0) for step in range(2000)]
    assert rates[:2] == [0.01, 0.02]
    assert max(rates) == rates[99] == rates[100] == 1.0
    assert rates[1050] == pytest.approx(0.55)
    assert rates[-1] == pytest.approx(0.1, abs=1e-4)
    assert rates[100:] == sorted(rates[100:], reverse=True)
    assert pretrain.rate(0, 20, 1.0) == 0.5  # a tenth of few steps rises


def test_training_learns_the_text(texts):
    _, seen = trained(texts, 60, peak=3e-2, every=30)
    assert [step for step, *_ in seen] == [0, 30, 60]
    assert seen[2][1] < 0.7 * seen[0][1]


def test_a_step_reads_windows_whose_labels_come_one_later(texts, monkeypatch):
    read = []
    monkeypatch.setattr(
        pretrain.F,
        "cross_entropy",
        lambda logits, labels, **_: read.append(labels) or logits.square().mean(),
    )
    monkeypatch.setattr(pretrain, "loss_of", lambda *_: 0.0)
    tokenizer, learn, held_out = texts
    learner, inputs = model(tokenizer), []
    learner.register_forward_pre_hook(lambda _, given: inputs.append(given[0]))
    list(pretrain.train(learner, learn, held_out, 2, count=3))
    for row, labels in zip(inputs, read, strict=True):
        labels = labels.view(3, 7)
        assert row.shape == (3, 7)
        assert torch.equal(row[:, 1:], labels[:, :-1])
    assert not torch.equal(inputs[0], inputs[1])


def test_a_training_that_was_stopped_goes_on_as_if_it_were_not(texts, tmp_path):
    whole, seen = trained(texts, 20)
    tokenizer, learn, held_out = texts
    way = {"every": 5, "count": 3, "save": tmp_path / "mine.pt"}
    for step, *_ in pretrain.train(model(tokenizer), learn, held_out, 20, **way):
        if step == 10:
            break
    again = model(tokenizer, seed=5)  # whose own numbers must not matter
    rest = list(pretrain.train(again, learn, held_out, 20, **way))
    assert [step for step, *_ in rest] == [10, 15, 20]
    assert rest == seen[2:]
    assert torch.equal(weights(again), weights(whole))


def test_more_steps_make_the_rate_of_a_new_plan(texts, tmp_path):
    extended, _ = trained(texts, 10, save=tmp_path / "mine.pt")
    _, learn, held_out = texts
    way = {"every": 5, "count": 3, "save": tmp_path / "mine.pt"}
    list(pretrain.train(extended, learn, held_out, 20, **way))
    whole, _ = trained(texts, 20)
    assert not torch.allclose(weights(extended), weights(whole))


def looks(monkeypatch, *losses):
    """Let the held-out losses be those that are given, one at each look."""
    given = iter(losses)
    monkeypatch.setattr(pretrain, "loss_of", lambda *_: next(given))


def test_a_look_says_whether_its_loss_is_the_lowest_so_far(texts, monkeypatch):
    looks(monkeypatch, 3.0, 4.0, 2.0, 2.0, 2.5)
    _, seen = trained(texts, 20)
    assert [best for *_, best in seen] == [True, False, True, False, False]
    assert [loss for _, loss, _ in seen] == [3.0, 4.0, 2.0, 2.0, 2.5]


def test_what_goes_on_remembers_the_lowest_loss(texts, tmp_path, monkeypatch):
    save = tmp_path / "mine.pt"
    looks(monkeypatch, 3.0, 1.0, 2.0)
    trained(texts, 10, save=save)
    looks(monkeypatch, 2.0, 1.5, 0.5)  # the first is that of step 10 again
    _, seen = trained(texts, 20, save=save)
    assert [(step, best) for step, _, best in seen] == [
        *((10, False), (15, False), (20, True))
    ]


def test_a_best_model_that_was_not_kept_yet_is_best_again(texts, tmp_path, monkeypatch):
    """Whoever stops it while the model is written must not lose that model."""
    save = tmp_path / "mine.pt"
    looks(monkeypatch, 3.0, 1.0)
    tokenizer, learn, held_out = texts
    way = {"every": 5, "count": 3, "save": save}
    for step, *_ in pretrain.train(model(tokenizer), learn, held_out, 20, **way):
        if step == 5:
            break
    looks(monkeypatch, 1.0, 2.0, 2.0, 2.0)
    _, seen = trained(texts, 20, save=save)
    assert [best for *_, best in seen] == [True, False, False, False]


def test_a_training_refuses_the_texts_of_another(texts, tmp_path):
    """Also where that one was finished, and nothing would be trained.

    Of another held-out text the lowest loss would be another one.
    """
    save = tmp_path / "mine.pt"
    first, _ = trained(texts, 10, save=save)
    before = save.read_bytes()
    tokenizer, learn, held_out = texts
    others = [
        (tokenizer, learn.roll(1), held_out),
        (tokenizer, learn, torch.flip(held_out, dims=[0])),
        (tokenizer, held_out, learn),
    ]
    for other in others:
        for steps in (10, 20):
            with pytest.raises(ValueError, match=r"this run, got texts.*move it away"):
                trained(other, steps, save=save)
    assert save.read_bytes() == before
    again = (tokenizer, learn.clone(), held_out.clone())
    found, seen = trained(again, 10, save=save)
    assert [step for step, *_ in seen] == [10]
    assert torch.equal(weights(found), weights(first))


def test_a_training_refuses_the_settings_of_another_and_names_them(texts, tmp_path):
    """With another seed a finished run would train nothing, and look trained."""
    save = tmp_path / "mine.pt"
    trained(texts, 10, save=save)
    before = save.read_bytes()
    others = {"seed": (0, 1), "peak": (3e-3, 1e-3), "count": (3, 2)}
    for name, (was, now) in others.items():
        for steps in (10, 20):
            told = f"run, got {name} {was}, not {now}; move it away"
            with pytest.raises(ValueError, match=told):
                trained(texts, steps, save=save, **{name: now})
    assert save.read_bytes() == before
    _, seen = trained(texts, 10, save=save, every=3)  # how often one looks is free
    assert [step for step, *_ in seen] == [10]


def test_a_training_refuses_a_model_whose_weights_would_fit(texts, tmp_path):
    """Other heads or a longer window change no shape, and mean another network."""
    save = tmp_path / "mine.pt"
    trained(texts, 10, save=save)
    tokenizer, learn, held_out = texts
    for name, now in (("num_heads", 3), ("max_len", 8)):
        sizes = {"max_len": 7} | SMALL | {name: now}
        other = pretrain.new_model(tokenizer.vocab_size, **sizes)
        with pytest.raises(ValueError, match=rf"got {name} \d, not {now}; move it"):
            list(pretrain.train(other, learn, held_out, 20, count=3, save=save))


def test_fewer_steps_than_were_taken_are_refused(texts, tmp_path):
    save = tmp_path / "mine.pt"
    trained(texts, 10, save=save)
    with pytest.raises(ValueError, match="steps must be 10 or more, got 9"):
        trained(texts, 9, save=save)


@pytest.mark.parametrize("asked", [False, True])
def test_a_step_multiplies_in_16_bits_where_that_is_asked_for(texts, asked):
    """The weights and the held-out loss stay in 32."""
    tokenizer, learn, held_out = texts
    learner, kinds = model(tokenizer), set()
    learner.register_forward_hook(lambda m, _, y: kinds.add((m.training, y.dtype)))
    way = {"count": 3, "peak": 3e-2, "every": 30, "bfloat16": asked}
    seen = list(pretrain.train(learner, learn, held_out, 60, **way))
    kind = torch.bfloat16 if asked else torch.float32
    assert kinds == {(True, kind), (False, torch.float32)}
    assert {x.dtype for x in learner.parameters()} == {torch.float32}
    assert seen[2][1] < 0.7 * seen[0][1]


def test_seeds_read_other_windows(texts):
    one, two = (trained(texts, 3, seed=seed)[0] for seed in (0, 1))
    assert not torch.equal(weights(one), weights(two))


SMALLEST = "--layers 1 --width 12 --heads 2 --length 7 --windows 3 --vocab 261"
WAY = [*SMALLEST.split(), "--every", "5", "--output", "own", "--prompt", "The sea"]


@pytest.fixture
def book(tmp_path, monkeypatch):
    """A text in two parts, each of which begins with a mark of its own."""
    monkeypatch.chdir(tmp_path)
    Path("book.txt").write_text("".join(f"\n# {n}\n{TEXT}" for n in range(2)), "utf-8")
    return ["book.txt", *WAY, "--chapter", "\n# "]


def test_the_script_trains_saves_and_writes(book, capsys):
    pretrain.main([*book, "--steps", "10"])
    said = capsys.readouterr().out
    looks = re.findall(r"^step (\d+): held-out loss \d\.\d\d nats", said, re.M)
    assert looks == ["0", "5", "10"]
    assert re.search(r"^The sea.", said, re.M)
    config = load("own").model.config
    assert (config.d_model, config.d_ff, config.num_heads) == (12, 32, 2)
    assert (config.num_decoder_layers, config.max_len) == (1, 7)


def test_the_script_goes_on_as_if_it_had_not_stopped(book, monkeypatch, capsys):
    line = [*book, "--steps", "15"]
    pretrain.main(line)
    whole = torch.load("own.pt", weights_only=True)
    Path("own.pt").unlink()

    def stopped(*given, **way):
        for look in train(*given, **way):
            yield look
            if look[0] == 10:
                raise KeyboardInterrupt

    train = pretrain.train
    monkeypatch.setattr(pretrain, "train", stopped)
    with pytest.raises(KeyboardInterrupt):
        pretrain.main(line)
    monkeypatch.setattr(pretrain, "train", train)
    capsys.readouterr()
    pretrain.main(line)
    assert re.findall(r"^step (\d+)", capsys.readouterr().out, re.M) == ["10", "15"]
    again = torch.load("own.pt", weights_only=True)
    assert again["least"] == whole["least"]
    for name, value in whole["model"].items():
        assert torch.equal(again["model"][name], value)


def test_the_script_says_that_it_goes_on_and_refuses_another_seed(book, capsys):
    line = [*book, "--steps", "5"]
    pretrain.main(line)
    assert "found" not in capsys.readouterr().out
    pretrain.main(line)
    assert capsys.readouterr().out.startswith("found own.pt to go on with; ")
    with pytest.raises(ValueError, match="seed 0, not 1"):
        pretrain.main([*line, "--seed", "1"])
    capsys.readouterr()
    pretrain.main([*line, "--seed", "1", "--output", "other"])
    assert "found" not in capsys.readouterr().out


@pytest.mark.compiled
def test_the_script_compiles_its_model_and_learns_the_same(book, monkeypatch):
    """With a compiler that only notes what it is given: the real one takes a minute."""
    graphs = []

    def noted(graph, _):
        graphs.append(graph)
        return graph.forward

    compile_ = torch.nn.Module.compile
    monkeypatch.setattr(
        torch.nn.Module, "compile", lambda model: compile_(model, backend=noted)
    )
    pretrain.main([*book, "--steps", "5"])
    assert not graphs
    pretrain.main([*book, "--steps", "5", "--compile", "--output", "fast"])
    assert graphs
    one, other = (
        torch.load(f"{name}.pt", weights_only=True) for name in ("own", "fast")
    )
    assert one["step"] == other["step"] == 5
    for name, value in one["model"].items():
        torch.testing.assert_close(other["model"][name], value, rtol=0, atol=1e-6)


def test_the_script_takes_16_bits_when_it_is_told(book, monkeypatch):
    asked = []
    monkeypatch.setattr(
        pretrain, "take_step", lambda *given: asked.append(given[4:]) or None
    )
    pretrain.main([*book, "--steps", "1", "--output", "one"])
    pretrain.main([*book, "--steps", "1", "--bfloat16", "--output", "two"])
    assert asked == [(False,), (True,)]


def test_the_flags_of_the_script_reach_the_training(book, monkeypatch):
    asked = []

    def noted(model, learn, held_out, steps, **way):
        asked.append((steps, way, model.state_dict(), learn, held_out))
        yield 0, 1.0, True

    monkeypatch.setattr(pretrain, "train", noted)
    for seed in ("3", "3", "4"):
        pretrain.main([*book, "--steps", "7", "--rate", "0.02", "--seed", seed])
    steps, way, first, learn, held_out = asked[0]
    assert steps == 7
    cut = "".join(load("own").tokenizer.decode(x.tolist()) for x in (learn, held_out))
    assert cut == Path("book.txt").read_text("utf-8")
    want = {"peak": 0.02, "count": 3, "every": 5, "save": "own.pt", "seed": 3}
    want["bfloat16"] = False
    assert way == want
    table = next(name for name, value in first.items() if value.dim() == 2)
    assert torch.equal(asked[1][2][table], first[table])
    assert not torch.equal(asked[2][2][table], first[table])


def test_the_lines_of_the_page_for_a_terminal_are_taken(book, monkeypatch):
    asked = []

    def noted(model, *_, **way):
        asked.append((model.config, way))
        yield 0, 1.0, True

    monkeypatch.setattr(pretrain, "train", noted)
    said = "\n".join(cell.source for cell in read_notebook(PAGE).cells)
    lines = re.findall(r"^python -m chapters\S+pretrain my_book.txt (.*)$", said, re.M)
    assert lines
    for line in lines:
        pretrain.main([*book, *line.split(), "--vocab", "261"])
    assert {config.d_model for config, _ in asked} == {12, 192}
    [told] = (x.source for x in read_notebook(PAGE).cells if x.id == "text-script-3")
    flags = set(re.findall(r"--([a-z_0-9]+)", told))
    assert {"device", "bfloat16", "compile", "chapter"} <= flags <= set(pretrain.FLAGS)


def test_the_script_keeps_the_model_of_the_lowest_loss_and_lets_it_write(
    book, monkeypatch
):
    wrote = []
    monkeypatch.setattr(pretrain, "train", numbered)
    monkeypatch.setattr(
        pretrain.DecoderOnlyTransformer,
        "generate",
        lambda model, *_, **__: wrote.append(model) or "",
    )
    pretrain.main(book)
    assert all((x == 1).all() for x in load("own").model.parameters())
    assert all((x == 1).all() for x in wrote[0].parameters())


def test_the_script_runs_from_a_terminal_and_not_in_a_notebook(book, monkeypatch):
    monkeypatch.setattr("sys.argv", ["pretrain.py", *book, "--steps", "1"])
    file = Path(pretrain.__file__)
    exec(compile(file.read_text("utf-8"), "cell", "exec"), {"__name__": "__main__"})
    runpy.run_path(str(file), run_name="other")
    assert not Path("own.pt").exists()
    runpy.run_path(str(file), run_name="__main__")
    assert torch.load("own.pt", weights_only=True)["step"] == 1


def numbered(model, *_, **__):
    """Give all weights the number of the look, of which that at 1 is the best."""
    for step, best in enumerate((True, True, False, False)):
        with torch.no_grad():
            for x in model.parameters():
                x.fill_(step)
        yield step, 1.0, best


def program(beginning):
    """Return the lines of the page for a text of one's own that begin so."""
    for cell in read_notebook(PAGE).cells:
        for found in re.findall(r"```python\n(from .*?)```", cell.source, re.S):
            if found.startswith(beginning):
                return found
    raise AssertionError(f"The page must have lines that begin {beginning!r}.")


CHAPTERS = "".join(f"\nCHAPTER {n}\n{TEXT}" for n in range(3))


@pytest.fixture
def lines(tmp_path, monkeypatch):
    """Those of the page, with fewer steps and a small vocabulary, to save a minute."""
    whole = program("from pathlib")
    monkeypatch.chdir(tmp_path)
    Path("my_book.txt").write_text(CHAPTERS, "utf-8")
    short = whole.replace("steps=1000", "steps=2")
    short = short.replace("hold_out(parts))", "hold_out(parts), vocab_size=261)")
    assert short.count("steps=2") == short.count("vocab_size=261") == 1
    return compile(short, "page", "exec")


def test_the_lines_for_a_text_of_ones_own_run(lines, capsys):
    exec(lines, {})
    said = capsys.readouterr().out
    assert re.match(r"0 \d\.\d\d It was", said)
    found, tokenizer = load("mine")
    assert tokenizer.decode(tokenizer.encode("boat")) == "boat"
    saved = torch.load("mine.pt", weights_only=True)
    assert saved["step"] == 2
    for name, value in saved["model"].items():
        assert torch.equal(found.state_dict()[name], value)


def test_the_lines_keep_the_model_of_the_lowest_loss(lines, monkeypatch):
    monkeypatch.setattr(pretrain, "train", numbered)
    exec(lines, {})
    assert all((x == 1).all() for x in load("mine").model.parameters())


def test_the_lines_that_begin_with_trained_weights_run(tmp_path, monkeypatch):
    """They go on behind the line of `parts`, here with `verses`."""
    first, _ = program("from pathlib").split("tokenizer, learn")
    short = program("from torch").replace('"smollm2-135m"', '"verses"')
    short = short.replace('"steps": 20', '"steps": 2').replace(
        '"count": 4', '"count": 1'
    )
    assert all(word in short for word in ('"verses"', '"steps": 2', '"count": 1'))
    monkeypatch.chdir(tmp_path)
    Path("my_book.txt").write_text(CHAPTERS, "utf-8")
    names = {}
    exec(first + short, names)
    before = load("verses").model.state_dict()
    after = load("tuned").model.state_dict()
    moved = max((after[x] - before[x]).abs().max().item() for x in after)
    assert 0 < moved < 1e-2
    assert names["step"] == torch.load("tuned.pt", weights_only=True)["step"] == 2
    assert names["tokenizer"].decode(names["held_out"].tolist()) == names["parts"][-1]
