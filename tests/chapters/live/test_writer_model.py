"""The language model in the page reads and computes what that of the package does."""

import json
import random
import re
from dataclasses import replace

import pytest
import torch
from torch.testing import assert_close

from chapters.laboratory import king_james
from chapters.live import pack, verses
from transformer import zoo
from transformer.decoding.shaping import Shaping, draw
from transformer.models import DecoderOnlyTransformer

CLOSE = {"rtol": 0, "atol": 1e-4}  # float32, summed in another order
PROGRAM = """\
"use strict";
{scripts}
const writer = globalThis.bookWriter, model = writer.unpack(globalThis.bookVerses);
const plain = (rows) => rows.map((row) => Array.from(row));
const readAll = (ids, options) => {{
  const text = writer.begin(model, options);
  ids.forEach((id) => writer.read(text, id));
  return text;
}};
console.log(JSON.stringify({asked}.map((given) => {{ {body} }})));
"""
FOREIGN = [
    *(
        "",
        " ",
        "\n\n  In",
        "na\u00efve \u2014 \u201cThou\u2019lt\u201d",
        "耶和华神说\uff1a",
        "a\u00a0b\u2003c\u0085d",
    ),
    *(
        "e\u0301 and \u00e9",
        "🙂🙃",
        "it's we'll I'd",
        "x" * 40,
        "Zz9 12,345 ½",
        "\t\r\n",
    ),
    "\ufeffand",
]


@pytest.fixture(scope="module")
def shipped():
    return zoo.load("verses")


@pytest.fixture(scope="module")
def ask(run_script):
    """Run lines of JavaScript on each of some inputs, beside the model in the page."""
    files = [
        pack.WEIGHTS.with_name(f"{name}.js")
        for name in ("transformer", "writer_model", "writer_picture")
    ]
    scripts = "\n".join(
        [*(file.read_text("utf-8") for file in files), verses.read_script()]
    )

    def call(asked, body):
        return run_script(
            PROGRAM.format(scripts=scripts, asked=json.dumps(asked), body=body)
        )

    return call


@pytest.fixture(scope="module")
def texts(shipped):
    """Beginnings of verses of the test books, of 1 to 40 tokens."""
    _, tokenizer = shipped
    lines = king_james.split_text("test").splitlines()
    chosen = random.Random(0).sample(lines, 200)
    return [
        tokenizer.encode_prompt(line)[: 1 + i % 40] for i, line in enumerate(chosen)
    ]


def test_a_text_has_the_ids_that_the_package_gives_it(ask, shipped):
    _, tokenizer = shipped
    lines = king_james.split_text("test").splitlines()
    given = [*FOREIGN, *random.Random(0).sample(lines, 300), "\n".join(lines[:40])]
    body = (
        "const { encode, encodePrompt, decode } = model.tokenizer, ids = encode(given);\
      return [ids, decode(ids), encodePrompt(given)];"
    )
    for text, (ids, back, prompt) in zip(given, ask(given, body), strict=True):
        assert ids == tokenizer.encode(text), text
        assert back == tokenizer.decode(ids), text
        assert prompt == tokenizer.encode_prompt(text), text


@torch.no_grad()
def test_logits_of_hundreds_of_texts_are_those_of_pytorch(ask, shipped, texts):
    model, _ = shipped
    found = ask(texts, "return Array.from(readAll(given).places.at(-1).logits);")
    for ids, logits in zip(texts, found, strict=True):
        wanted = model(torch.tensor([ids]))[0, -1]
        assert_close(torch.tensor(logits), wanted, **CLOSE)


@torch.no_grad()
def test_each_layer_hands_on_what_it_does_in_pytorch(ask, shipped, texts):
    model, _ = shipped
    ids = max(texts, key=len)
    [found] = ask(
        [ids], "return readAll(given).places.map(({ streams }) => plain(streams));"
    )
    wanted = [model.embedding(torch.tensor([ids]))[0]]
    hooks = [
        layer.register_forward_hook(lambda _, inputs, out: wanted.append(out[0]))
        for layer in model.decoder.layers
    ]
    model(torch.tensor([ids]))
    for hook in hooks:
        hook.remove()
    assert_close(torch.tensor(found).transpose(0, 1), torch.stack(wanted), **CLOSE)


def changed(model, **choices):
    """The same numbers in a model of another configuration."""
    other = DecoderOnlyTransformer(replace(model.config, **choices))
    other.load_state_dict(model.state_dict())
    return other.eval()


@torch.no_grad()
@pytest.mark.parametrize(
    ("options", "choices"),
    [({"window": 7}, {"window": 7}), ({"positions": False}, {"position": "none"})],
)
def test_a_window_and_no_positions_are_what_they_are_in_the_package(
    ask, shipped, texts, options, choices
):
    model, _ = shipped
    ids = max(texts, key=len)
    body = (
        "return plain(readAll(given[0], given[1]).places.map(({ logits }) => logits));"
    )
    [found] = ask([[ids, options]], body)
    wanted = changed(model, **choices)(torch.tensor([ids]))[0]
    assert_close(torch.tensor(found), wanted, **CLOSE)
    assert (wanted[-1] - model(torch.tensor([ids]))[0, -1]).abs().max() > 0.1


@torch.no_grad()
def test_heads_and_networks_that_are_taken_out_hand_on_nothing(ask, shipped, texts):
    model, _ = shipped
    ids, layer = max(texts, key=len), model.decoder.layers[1]
    silent = ["decoder.layers.1.self_attention.2", "decoder.layers.1.feed_forward"]
    body = "return Array.from(readAll(given[0], { silent: new Set(given[1]) })\
      .places.at(-1).logits);"
    [found] = ask([[ids, silent]], body)
    size = model.config.head_size

    def without(_, inputs):
        merged = inputs[0].clone()
        merged[..., 2 * size : 3 * size] = 0
        return (merged,)

    hooks = [
        layer.self_attention.output_projection.register_forward_pre_hook(without),
        layer.feed_forward.register_forward_hook(lambda _, inputs, out: 0 * out),
    ]
    wanted = model(torch.tensor([ids]))[0, -1]
    for hook in hooks:
        hook.remove()
    assert_close(torch.tensor(found), wanted, **CLOSE)


@torch.no_grad()
def test_what_stands_inside_a_layer_adds_up_to_what_it_hands_on(ask, texts):
    ids = max(texts, key=len)
    body = """
  const text = readAll(given), place = given.length - 3;
  return [0, 3].map((layer) => {
    const { between, added, scores } = writer.inside(text, layer, place);
    const { streams, looks } = text.places[place];
    return [plain([between, added, streams[layer + 1]]),
      scores, looks[layer]];
  });"""
    for (between, added, handed), scores, looks in ask([ids], body)[0]:
        total = torch.tensor(between) + torch.tensor(added)
        assert_close(total, torch.tensor(handed), **CLOSE)
        known = torch.tensor(scores)[:, :-1]  # without the token that the mask hides
        assert_close(known.softmax(dim=-1), torch.tensor(looks), **CLOSE)


@torch.no_grad()
def test_a_unit_raises_what_its_column_of_the_last_map_says_to_the_head(ask, shipped):
    model, _ = shipped
    for layer, unit, strength in [(0, 3, 1.5), (3, 411, -2.0)]:
        network = model.decoder.layers[layer].feed_forward
        column = strength * network.down_projection.weight[:, unit]
        wanted = model.head.projection.weight @ (model.decoder.norm.weight * column)
        body = "return plain([writer.raised(model, ...given)]);"
        [found] = ask([[layer, unit, strength]], body)[0]
        assert_close(torch.tensor(found), wanted, **CLOSE)


def test_words_are_drawn_from_the_distribution_of_the_package(ask):
    generator = torch.Generator().manual_seed(0)
    logits = torch.randn(5, 30, generator=generator)
    cases = [(1.0, 1.0), (0.7, 0.9), (1.5, 0.3), (0.2, 0.05), (1.0, 0.5)]
    given = [
        [row.tolist(), {"temperature": temperature, "most": most}]
        for row, (temperature, most) in zip(logits, cases, strict=True)
    ]
    body = """
  const shape = writer.shaped(...given), all = given[0].map(() => 0);
  shape.kept.forEach((share, i) => { all[shape.order[i]] = share; });
  const dice = given[0].map((_, i) => (i + 0.5) / given[0].length);
  return [all, dice.map((die) => writer.drawn(shape, die))];"""
    for row, (temperature, most), (shares, words) in zip(
        logits, cases, ask(given, body), strict=True
    ):
        wanted = Shaping(temperature=temperature, top_p=most).probabilities(row[None])[
            0
        ]
        assert_close(torch.tensor(shares, dtype=torch.float64), wanted)
        order = wanted.argsort(descending=True, stable=True)
        dice = (torch.arange(30, dtype=torch.float64) + 0.5) / 30
        drawn = draw(wanted[order].expand(30, -1), dice)
        assert words == order[drawn].tolist()


def test_at_no_temperature_the_likeliest_word_is_sure(ask):
    body = "const s = writer.shaped(given, { temperature: 0 });\
      return [s.kept, writer.drawn(s, 0.999), s.stay];"
    assert ask([[0.1, 3.0, 2.9]], body) == [[[1], 1, 1]]


def test_what_is_cut_off_a_text_leaves_no_trace(ask, texts):
    ids = max(texts, key=len)
    body = """
  const text = readAll(given);
  writer.cut(text, 5);
  given.slice(5, 9).reverse().forEach((id) => writer.read(text, id));
  const other = readAll([...given.slice(0, 5), ...given.slice(5, 9).reverse()]);
  return [text, other].map(({ ids, places }) =>
    [ids, plain(places.map(({ logits }) => logits))]);"""
    [(found, wanted)] = ask([ids], body)
    assert found == wanted


def test_the_likeliest_token_is_the_first_of_the_order(ask, texts):
    body = """
  const { logits } = readAll(given).places.at(-1);
  const { order, shares } = writer.shaped(logits);
  const { id, share } = writer.likeliest(logits);
  return [id, order[0], share, shares[0]];"""
    for id, first, share, largest in ask(texts[:20], body):
        assert id == first
        assert share == pytest.approx(largest, rel=1e-12)


def test_a_seed_gives_each_place_a_number_of_its_own(ask):
    body = "return Array.from({ length: 2000 }, (_, i) => writer.dieOf(given, i));"
    dice = torch.tensor(ask(["7", "8", "lot"], body), dtype=torch.float64)
    assert dice.min() >= 0
    assert dice.max() < 1
    counts = torch.stack([row.histc(10, 0, 1) for row in dice])
    assert (counts - 200).abs().max() < 60  # 4.5 standard deviations
    following = torch.corrcoef(torch.cat([dice, dice.roll(1, 1)]))
    assert (following - torch.eye(6)).abs().max() < 0.09  # 4 of 1 / sqrt(2000)


@torch.no_grad()
def test_each_token_costs_the_bits_of_its_share_in_pytorch(ask, shipped, texts):
    model, _ = shipped
    ids = max(texts, key=len)
    [found] = ask([ids], "return readAll(given).places.map(({ bits }) => bits);")
    shares = model(torch.tensor([ids]))[0].double().log_softmax(-1)
    wanted = -shares[range(len(ids) - 1), ids[1:]] / torch.log(torch.tensor(2.0))
    assert found[0] == 0
    assert_close(torch.tensor(found[1:], dtype=torch.float64), wanted, **CLOSE)


@torch.no_grad()
def test_the_verses_that_words_are_compared_with_cost_what_the_page_says(shipped):
    model, tokenizer = shipped
    lines = king_james.split_text("test").splitlines()[::10]
    beginnings = [line[:30].rsplit(" ", 1)[0] for line in lines if len(line) > 30]
    costs = []
    for text in beginnings:
        ids = tokenizer.encode_prompt(text)
        shares = model(torch.tensor([ids]))[0].log_softmax(-1)
        nats = shares[range(len(ids) - 1), ids[1:]]
        costs.append(-nats.sum() / torch.log(torch.tensor(2.0)))
    letters = torch.tensor([len(text) for text in beginnings])
    each = torch.stack(costs) / letters
    script = pack.WEIGHTS.with_name("writer_surprise.js").read_text("utf-8")
    verse, strange = re.search(r"VERSE = ([\d.]+), STRANGE = ([\d.]+)", script).groups()
    assert f"{sum(costs) / letters.sum():.1f}" == verse
    assert f"{each.quantile(0.9):.1f}" == strange


@torch.no_grad()
@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("And Abraham took Sarah his", " wife"),
        ("And the wifi was down forty days and forty", " night"),
        ("And it came to pass in those", " days"),
        ("And the robots did that which was evil in the sight of the", " LORD"),
        ("And the robot opened his", " mouth"),
    ],
)
def test_what_the_page_suggests_shows_what_the_model_is_sure_of(shipped, text, sure):
    model, tokenizer = shipped
    script = pack.WEIGHTS.with_name("writer.js").read_text("utf-8")
    assert f'"{text}"' in script
    shares = model(torch.tensor([tokenizer.encode_prompt(text)]))[0, -1].softmax(-1)
    assert tokenizer.decode([int(shares.argmax())]) == sure
    assert shares.max() > 0.5


DRAWN = """
const { drawnOf } = globalThis.bookWriterPicture;
return drawnOf(given, given.map((_, i) => i).filter((i) => i !== 1))
  .map(([key, share]) => [key, Number(share.toFixed(3))]);
"""


def test_of_each_row_the_strongest_lines_are_drawn_however_weak(ask):
    cases = [  # the token of number 1 has no row
        ([0.3, 0.3, 0.013, 0.012, 0.011, 0.01], [[0, 0.3], [2, 0.013], [3, 0.012]]),
        ([0.1, 0.2, 0.3, 0.05, 0.35], [[0, 0.1], [2, 0.3], [3, 0.05], [4, 0.35]]),
        ([0.01, 0.48, 0.5, 0.01], [[0, 0.01], [2, 0.5], [3, 0.01]]),
        ([0, 0, 0, 0], []),
    ]
    for given, wanted in cases:
        assert ask([given], DRAWN) == [wanted]


PLACED = """
const { rows, gaps, high } = globalThis.bookWriterPicture.placed(...given);
return [rows.map(({ place, at }) => [place, at]),
  gaps.map(({ from, count, at }) => [from, count, at]), high];
"""


def share_out(length, *given):
    """Return what a row looks at: some tokens as given, the others the rest alike."""
    rest = (1 - sum(share for _, share in given)) / (length - len(given))
    return [dict(given).get(key, rest) for key in range(length)]


def test_a_short_text_has_a_row_for_each_token(ask):
    looks = [share_out(6, (2, 0.9))]
    rows = [[place, 2 * place] for place in range(6)]
    assert ask([[looks, 5, 6], [looks, 5, 9]], PLACED) == [[rows, [], 12]] * 2


def test_of_a_long_text_what_is_looked_at_most_has_rows_and_gaps_between_them(ask):
    far, near = share_out(40, (7, 0.5)), share_out(40, (30, 0.3), (31, 0.2), (12, 0.1))
    narrow, wide = ask([[[far, near], 39, count] for count in (6, 7)], PLACED)
    # The newest, the most of each layer, and what both together look at most.
    assert narrow[0] == [[7, 2], [30, 5], [31, 7], [39, 10]]
    assert narrow[1:] == [[[0, 7, 1], [8, 22, 4], [32, 7, 9]], 12]
    assert [place for place, _ in wide[0]] == [7, 12, 30, 31, 39]
    assert [count for _, count, _ in wide[1]] == [7, 4, 17, 7]


def test_each_layer_has_its_first_in_the_picture_though_all_look_elsewhere(ask):
    shares = [share_out(60, (10 * layer + 3, 0.03)) for layer in range(4)]
    weak = share_out(60, (56, 0.2), (57, 0.2), (58, 0.2), (55, 0.2))
    for count in (8, 9):
        rows, _, high = ask([[[*shares[:3], weak], 59, count]], PLACED)[0]
        places = [place for place, _ in rows]
        assert {3, 13, 23, 59} <= set(places)
        assert len({55, 56, 57, 58} & set(places)) >= 1
        assert high == 2 * count


def test_rows_and_gaps_of_any_text_cover_it_without_a_hole_and_fill_the_picture(ask):
    random.seed(3)
    given = []
    for _ in range(60):
        place, count = random.randint(1, 90), random.choice([8, 9])
        looks = [[random.random() ** 8 for _ in range(place + 1)] for _ in range(4)]
        given.append([looks, place, count])
    for (_, place, count), (rows, gaps, high) in zip(
        given, ask(given, PLACED), strict=True
    ):
        covered = {key for key, _ in rows} | {
            key for first, long, _ in gaps for key in range(first, first + long)
        }
        assert covered == set(range(place + 1))
        assert len(covered) == len(rows) + sum(long for _, long, _ in gaps)
        taken = sorted([(at, 2) for _, at in rows] + [(at, 1) for *_, at in gaps])
        assert taken[0][0] <= 1  # at most half a row is free, at the top
        ends = [at + half for at, half in taken]
        assert [at for at, _ in taken[1:]] == ends[:-1]
        assert ends[-1] == high == 2 * min(count, place + 1)
