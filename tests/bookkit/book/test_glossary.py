"""The glossary is read as it is written, and bold words are told from stress."""

import pytest

from bookkit.book.glossary import plain_form, read_glossary

GLOSSARY = """
# Glossary

```{glossary}
head (of attention)
  One of several, side by side. Explained in [Heads: many
  questions](../part/chapter.ipynb#many-questions).

RoPE
  See {term}`rotary embedding`.

rotary embedding : 旋转位置编码、旋转 embedding
  A rotation. Explained in [Turns](../part/turns.ipynb#turns).
```
"""


@pytest.fixture
def terms(book):
    folder = book / "book" / "appendix"
    folder.mkdir()
    (folder / "glossary.md").write_text(GLOSSARY)
    return read_glossary(book)


def test_a_term_may_be_bold_by_its_synonym(terms):
    assert terms[1].synonym_of == "rotary embedding"
    assert terms[2].forms == {"rotary embedding", "rope"}


def test_a_curled_apostrophe_is_an_apostrophe():
    assert plain_form("Shaw\u2019s keys") == plain_form("Shaw's keys")
