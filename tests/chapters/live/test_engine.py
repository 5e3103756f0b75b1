"""The engine of the page computes what PyTorch computes with the same numbers."""

import pytest
import torch
from torch.testing import assert_close

from bookkit.checking.facts import facts
from chapters.laboratory.translator import attention_weights
from chapters.live import pack
from transformer.data import BOS_ID, EOS_ID
from transformer.decoding import beam_search, greedy_decode

CLOSE = {"rtol": 0, "atol": 1e-4}  # float32, summed in another order


@pytest.fixture(scope="module")
def model():
    return pack.load(pack.read_weights())


@torch.no_grad()
def test_every_layer_hands_on_what_it_does_in_pytorch(
    run, model, pairs, ids, layers, note_layers, of_one_size
):
    asked = [
        {"source": ids(source), "target": [BOS_ID, *ids(target)]}
        for source, target in pairs
    ]
    noted = note_layers(model)
    for source, target, group in of_one_size(asked, run(asked, layers)):
        memory = model.encode(source)
        logits = model.decode(target, memory)
        for row, found in enumerate(group):
            assert_close(torch.tensor(found["memory"]), memory[row], **CLOSE)
            assert_close(torch.tensor(found["logits"]), logits[row], **CLOSE)
            for name, rows in noted.items():
                assert_close(torch.tensor(found[name]), rows[row], **CLOSE)
            assert found["returned"] == found["logits"]
    assert len(noted) == 4


LOOKS = """
  const seen = {}, look = (name, head, weights) => {
    seen[name] ??= [[], [], [], []];
    seen[name][head].push(weights);
  };
  const memory = encode(model, given.source, { look });
  const state = begin(model, memory);
  given.target.forEach((id) => step(model, state, id, { look }));
  return seen;"""


def test_every_head_looks_where_it_does_in_pytorch(run, model, task, pairs, ids):
    pair = max(pairs, key=lambda pair: len(pair.target))
    source, target = ids(pair.source), task.tokenizer.encode(pair.target)
    (seen,) = run([{"source": source, "target": [BOS_ID, *target]}], LOOKS)
    wanted = attention_weights(model, task.tokenizer, pair)
    assert set(seen) == set(wanted)
    for name, weights in wanted.items():
        for head in range(4):
            for query, row in enumerate(seen[name][head]):
                expected = weights[head, query, : len(row)]
                assert_close(torch.tensor(row, dtype=torch.float32), expected, **CLOSE)
                assert weights[head, query, len(row) :].sum() == 0


SILENT = """
  const silent = new Set([given.head]);
  const memory = encode(model, given.source, { silent });
  const state = begin(model, memory);
  return Array.from(step(model, state, BEGIN, { silent }));"""


@facts(
    "place, head",
    [
        ("encoder.layers.0.self_attention", 3),
        ("decoder.layers.1.cross_attention", 0),
        ("decoder.layers.0.self_attention", 2),
    ],
)
@torch.no_grad()
def test_a_silent_head_hands_on_nothing(run, model, pairs, place, head, ids):
    source = ids(pairs[0].source)
    (found,) = run([{"source": source, "head": f"{place}.{head}"}], SILENT)
    project = model.get_submodule(place).output_projection
    size = model.config.head_size

    def without(_, inputs):
        (merged,) = inputs
        merged = merged.clone()
        merged[..., head * size : (head + 1) * size] = 0
        return (merged,)

    before = model(torch.tensor([source]), torch.tensor([[BOS_ID]]))[0, 0]
    hook = project.register_forward_pre_hook(without)
    expected = model(torch.tensor([source]), torch.tensor([[BOS_ID]]))[0, 0]
    hook.remove()
    assert_close(torch.tensor(found), expected, **CLOSE)
    assert (expected - before).abs().max() > 100 * CLOSE["atol"]


SEARCH = """
  const { best } = search(model, encode(model, given.source), given);
  return best;"""


def greedy_texts(model, sources):
    """What the package writes; sources of one length need no padding together."""
    groups = {}
    for source in sources:
        groups.setdefault(len(source), []).append(source)
    texts = {}
    for group in groups.values():
        ids = greedy_decode(
            model,
            torch.tensor(group),
            max_new_tokens=40,
            bos_id=BOS_ID,
            eos_id=EOS_ID,
        )
        texts |= zip(map(tuple, group), ids.tolist(), strict=True)
    return texts


def test_greedy_texts_are_those_of_the_package(run, model, pairs, ids):
    asked = [{"source": ids(source)} for source, _ in pairs]
    expected = greedy_texts(model, [given["source"] for given in asked])
    for given, found in zip(asked, run(asked, SEARCH), strict=True):
        wrote = found["ids"]
        assert wrote == expected[tuple(given["source"])][: len(wrote)]
        assert wrote[-1] == EOS_ID


@facts("width", [2, 4, 8])
def test_beams_find_what_those_of_the_package_find(run, model, pairs, width, ids):
    asked = [
        {"source": ids(source), "width": width, "longest": 30}
        for source, _ in pairs[:6]
    ]
    for given, found in zip(asked, run(asked, SEARCH), strict=True):
        texts, scores = beam_search(
            model,
            torch.tensor([given["source"]]),
            beam_width=width,
            max_new_tokens=30,
            bos_id=BOS_ID,
            eos_id=EOS_ID,
        )
        assert found["ids"] == texts[0, 0, : len(found["ids"])].tolist()
        assert found["score"] == pytest.approx(scores[0, 0].item(), abs=1e-4)


SAMPLE = """
  const { best, steps } = sample(model, encode(model, given.source), given);
  return { ids: best.ids, steps };"""


def draw(model, source, temperature, dice):
    """Draw a text as `sample` of the engine does; return ids and chances."""
    text, chances = [BOS_ID], []
    while len(text) <= len(dice) and text[-1] != EOS_ID:
        logits = model(torch.tensor([source]), torch.tensor([text]))[0, -1]
        shares, order = (logits / temperature).softmax(dim=-1).sort(descending=True)
        place = int((shares.cumsum(dim=0) <= dice[len(text) - 1]).sum())
        text.append(order[place].item())
        chances.append(shares[place].item())
    return text[1:], chances


@facts("temperature", [0.5, 1.0, 2.0, 3.0])
@torch.no_grad()
def test_words_are_drawn_at_a_temperature(run, model, pairs, temperature, ids):
    dice = torch.rand(4, 13, generator=torch.Generator().manual_seed(5)).tolist()
    asked = [
        {"source": ids(source), "temperature": temperature, "dice": row, "longest": 13}
        for row, (source, _) in zip(dice, pairs, strict=False)
    ]
    for given, found in zip(asked, run(asked, SAMPLE), strict=True):
        text, chances = draw(model, given["source"], temperature, given["dice"])
        assert found["ids"] == text
        shown = [step[0]["chance"] for step in found["steps"]]
        assert shown == pytest.approx(chances, abs=1e-4)


def test_a_forbidden_word_is_not_drawn(run, ids):
    given = {"source": ids("ten"), "temperature": 1, "dice": [0.0, 0.0, 0.0]}
    (free,) = run([given | {"longest": 3}], SAMPLE)
    body = SAMPLE.replace("given)", "{ ...given, forbidden: new Set([given.word]) })")
    (found,) = run([given | {"longest": 3, "word": free["ids"][0]}], body)
    assert free["ids"][0] not in found["ids"]


def test_a_forbidden_word_is_not_written(run, ids):
    source = ids("forty-two")
    (free,) = run([{"source": source}], SEARCH)
    word = free["ids"][0]
    body = SEARCH.replace("given)", "{ ...given, forbidden: new Set([given.word]) })")
    (found,) = run([{"source": source, "word": word}], body)
    assert word not in found["ids"]


def test_texts_are_cut_as_by_the_tokenizer(run, task, ids):
    texts = ["forty-two", "  one   hundred and six ", "l'été, 7-8!", "x-y_z --", "Élan"]
    for text, found in zip(
        texts, run(texts, "return read(model, given);"), strict=True
    ):
        assert found["pieces"] == task.tokenizer.pieces(text)
        assert found["ids"] == ids(text)
        assert found["unknown"] == task.tokenizer.unknown(text)


def test_pieces_are_joined_as_by_the_tokenizer(run, pairs, ids):
    texts = [target for _, target in pairs]
    asked = [ids(text) for text in texts]
    assert run(asked, "return join(pieces(model, given));") == texts


PARTS = """
  const { unpacking, encoding, searching } = globalThis.bookTransformer;
  const parts = (work) => [...work].length;
  return { unpacking: parts(unpacking(globalThis.bookTranslator)),
    encoding: parts(encoding(model, given.source)),
    searching: parts(searching(model, encode(model, given.source), given)),
    steps: search(model, encode(model, given.source), given).steps.length };"""


@facts("width", [1, 5])
def test_what_takes_long_has_many_parts(run, ids, width):
    (parts,) = run([{"source": ids("seven hundred and one"), "width": width}], PARTS)
    assert parts["unpacking"] == len(pack.read_weights()["tensors"])
    assert parts["encoding"] == 2
    steps = parts["steps"]
    if width == 1:
        assert parts["searching"] == steps
    else:  # the first step reads one text, each other one at most as many as the width
        assert steps < parts["searching"] <= 1 + width * (steps - 1)


def test_the_engine_and_its_numbers_are_small():
    assert pack.WEIGHTS.with_name("transformer.js").stat().st_size < 30_000
    assert pack.WEIGHTS.stat().st_size < 500_000
    names = (
        *("translator.js", "translator_model.js", "translator_panels.js"),
        *("translator_tour.js", "translator_writing.js", "number_words.js"),
    )
    scripts = [pack.WEIGHTS.with_name(name) for name in names]
    assert [script.name for script in scripts if script.stat().st_size >= 30_000] == []
