"""Sound pages, and broken ones that each check must find."""

SOUND = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A page</title>
<link rel="icon" href="data:,">
</head>
<body><main><h1 id="top">A page</h1>{body}</main></body>
</html>
"""
RENDERED = (
    '<span class="math"><span class="katex"><span class="katex-mathml">'
    r"<annotation>\frac{a}{b}</annotation></span>a/b</span></span>"
)
IMAGE = '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" alt="a dot">'
# Source that shows, prices and code that are none, and images without words.
SOURCES = [
    "<p>$$ x $$</p>",
    "<p>so $x_1$ is</p>",
    r"<p>so \(x\) is</p>",
    r"<p>\frac{a}{b}</p>",
    r"<p>\begin{aligned} a</p>",
    r"<p>an angle of \omega t</p>",
    r"<p>so \alpha is</p>",
    r"<p>a \, b</p>",
    "<p>so $n$ is</p>",
    "<p>the sum ($a + b$), with</p>",
    "<p>the sum $a +\n b$ is</p>",
    "<p>twice: $2n$</p>",
    "<p>::: note</p>",
    "<p>see {eq}<code>eq-a</code></p>",
    "<p>see {cite:p}<code>a</code></p>",
    '<span class="math"></span>',
    '<span class="math"><b class="katex"><i class="katex-error">x</i></b></span>',
]
PRICES = [
    "from $5 to $6",
    "$5 and $6",
    "$5/$6",
    "$5-$10, or\n$20",
    "the sign $ and the sign $ again",
    r"<code>$n$</code>",
    r"<pre>\alpha = $n$</pre>",
]
WORDLESS = ["", 'alt=""', 'alt="  "', 'alt="_images/a.svg"']
