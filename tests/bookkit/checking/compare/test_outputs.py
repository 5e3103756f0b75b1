import base64
import io

from nbformat.v4 import new_output
from PIL import Image

from bookkit.book.notebooks import NARROW
from bookkit.checking.compare.outputs import compare_outputs, join_streams, kind_of
from bookkit.checking.facts import facts


def stream(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def result(text, **data):
    return new_output("execute_result", data={"text/plain": text, **data})


def display(**data):
    names = {"svg": "image/svg+xml", "png": "image/png", "html": "text/html"}
    data = {names.get(key, f"application/{key}"): value for key, value in data.items()}
    return new_output("display_data", data=data)


def error(name, message, traceback="a"):
    return new_output("error", ename=name, evalue=message, traceback=[traceback])


def svg(x):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" id="figure_1"><rect x="{x}"/></svg>'
    )


def png(level):
    file = io.BytesIO()
    Image.new("L", (1, 1), level).save(file, format="PNG")
    return base64.b64encode(file.getvalue()).decode()


SVG_OF = {x: {"image/svg+xml": svg(x)} for x in (1, 2)}

EQUAL = {
    "nothing": ([], []),
    "pieces of a stream": ([stream("a\nb\n")], [stream("a\n"), stream("b\n")]),
    "a stream of nothing": ([], [stream("")]),
    "two streams mixed": (
        [stream("a\n"), stream("!\n", "stderr"), stream("b\n")],
        [stream("!\n", "stderr"), stream("a\nb\n")],
    ),
    "the last digit": ([result("0.50")], [result("0.51")]),
    "a list of lines": ([stream(["a\n", "b"])], [stream("a\nb")]),
    "a figure that trembles": ([display(svg=svg(1))], [display(svg=svg(1.01))]),
    "a page with a drawing": ([display(svg=svg(1))], [display(svg=svg(1), html="a")]),
    "what a figure is called": (
        [result("A figure.", **SVG_OF[1])],
        [result("<Figure size 1x1>", **SVG_OF[1])],
    ),
    "what a picture is called": (
        [result("A picture.", **{"image/png": "AA=="})],
        [result("<Figure size 1x1>", **{"image/png": "AA=="})],
    ),
    "a traceback": ([error("KeyError", "a")], [error("KeyError", "a", "b")]),
}

DIFFERENT = {
    "a stream": (
        [stream("a 1")],
        [stream("a 2")],
        '(stdout): line 1: stored "1"',
    ),
    "a result": (
        [result("1")],
        [result("2")],
        "(result (text)): text/plain: ",
    ),
    "HTML": (
        [display(html="<b>1</b>")],
        [display(html="<b>2</b>")],
        "text/html: line 1",
    ),
    "a figure": (
        [display(svg=svg(1))],
        [display(svg=svg(2))],
        "at figure_1/rect: x stored",
    ),
    "a figure of the same name": (
        [result("A figure.", **SVG_OF[1])],
        [result("A figure.", **SVG_OF[2])],
        "image/svg+xml: ",
    ),
    "words without the figure": (
        [result("A figure.", **SVG_OF[1])],
        [result("A figure.")],
        "stored as image/svg+xml, computed as text/plain",
    ),
    "the words beside HTML": (
        [result("a", **{"text/html": "b"})],
        [result("c", **{"text/html": "b"})],
        'text/plain: line 1: stored "a"',
    ),
    "a picture": (
        [display(png=png(0))],
        [display(png=png(99))],
        "the pictures differ",
    ),
    "other data": ([display(json=1)], [display(json=2)], "the data are not the same"),
    "an error's name": (
        [error("KeyError", "a")],
        [error("TypeError", "a")],
        'output 1 (error KeyError): name: line 1: stored "KeyError"',
    ),
    "an error's message": (
        [error("KeyError", "a")],
        [error("KeyError", "b")],
        'output 1 (error KeyError): message: line 1: stored "a"',
    ),
    "the stream": (
        [stream("a")],
        [stream("a", "stderr")],
        "stored is stdout, computed is stderr",
    ),
    "the kind": (
        [stream("a")],
        [result("a")],
        "stored is stdout, computed is result (text)",
    ),
    "an additional MIME type": (
        [result("a")],
        [result("a", **{"text/html": "b"})],
        "stored as text/plain, computed as text/html, text/plain",
    ),
    "a missing output": (
        [stream("a"), result("b")],
        [stream("a")],
        "2 outputs are stored and 1 computed: "
        'stored stdout "a"; result (text) "b"; computed stdout "a"',
    ),
    "an extra output": (
        [],
        [error("KeyError", "a")],
        "0 outputs are stored and 1 computed: "
        'stored nothing; computed error KeyError "a"',
    ),
    "a stream moved behind a display": (
        [stream("a\nb\n"), display(svg=svg(1))],
        [stream("a\n"), display(svg=svg(1)), stream("b\n")],
        "2 outputs are stored and 3 computed",
    ),
}


@facts("stored, computed", EQUAL.values(), ids=[*EQUAL])
def test_is_tolerated(stored, computed):
    assert compare_outputs(stored, computed) == []


@facts("stored, computed, sentence", DIFFERENT.values(), ids=[*DIFFERENT])
def test_is_caught_and_said(stored, computed, sentence):
    (difference,) = compare_outputs(stored, computed)
    assert sentence in difference
    assert compare_outputs(computed, stored)


def test_every_output_that_differs_is_named():
    stored = [stream("a"), result("1"), display(svg=svg(1))]
    computed = [stream("b"), result("1"), display(svg=svg(2))]
    differences = compare_outputs(stored, computed)
    assert [d[:9] for d in differences] == ["output 1 ", "output 3 "]


def test_the_order_of_outputs_is_kept():
    assert compare_outputs([stream("a"), result("b")], [result("b"), stream("a")]) == [
        "output 1 (stdout): stored is stdout, computed is result (text)",
        "output 2 (result (text)): stored is result (text), computed is stdout",
    ]


def test_what_went_to_stdout_comes_before_what_went_to_stderr():
    outputs = [stream("!", "stderr"), stream("a")]
    assert [output["name"] for output in join_streams(outputs)] == ["stdout", "stderr"]


def test_the_outputs_given_are_left_as_they_were():
    outputs = [stream("a\n"), stream("b\n")]
    assert join_streams(outputs) == [stream("a\nb\n")]
    assert outputs == [stream("a\n"), stream("b\n")]


@facts(
    "output, kind",
    [
        (stream("a"), "text"),
        (error("KeyError", "a"), "text"),
        (result("a"), "text"),
        (result("a", **{"image/svg+xml": svg(1)}), "SVG"),
        (result("a", **{"image/svg+xml": svg(1), NARROW: svg(1)}), "SVG"),
        (result("a", **{"image/png": ""}), "PNG"),
        (display(json=1), "other"),
    ],
)
def test_an_output_counts_as_what_a_reader_sees(output, kind):
    assert kind_of(output) == kind
