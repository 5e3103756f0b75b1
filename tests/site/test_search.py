"""The search of the built book: the right section first, in words one can read."""

import json
import re
from math import inf
from urllib.parse import quote

import page_files
import page_visit
import pytest

from bookkit.checking.facts import facts
from bookkit.publishing.plain_formulas import plain_formula
from bookkit.publishing.site.search import DATA
from bookkit.publishing.site.search.names import ABSENT, NAMES, read_groups

QUESTIONS = {
    # Words that new readers typed
    "KV cache": "architecture/decoding#the-cache",
    "softmax": "attention/big_picture#from-logits-to-a-loss",
    "why sqrt": "attention/self_attention#why-divide-by-sqrt-d-k",
    "why divide by sqrt(d_k)": "attention/self_attention#why-divide-by-sqrt-d-k",
    "RoPE": "position/rotary",
    "flash attention": "beyond/cost_and_scale#deeper-the-fused-kernel",
    "mask": "attention/multi_head_attention#masks",
    "LayerNorm vs BatchNorm": ("normalization/layer_norm#deeper-batch-normalization"),
    "perplexity": "architecture/training#one-sentence-by-hand",
    "GQA": "attention/multi_head_attention#deeper-fewer-key-and-value-heads",
    "bf16": "architecture/training#deeper-sixteen-bits",
    "位置编码": "position/sinusoidal",
    # The standard words of other texts
    "attention": "attention/self_attention",
    "masked multi-head attention": "attention/multi_head_attention#masks",
    "encoder-decoder attention": (
        "attention/multi_head_attention#deeper-cross-attention"
    ),
    "representation subspaces": "attention/multi_head_attention",
    "auto-regressive": "architecture/decoding#one-token-at-a-time",
    "contextual embedding": "attention/self_attention",
    "context-free embedding": "attention/embeddings#deeper-what-cosines-hide",
    "MLP": "feed_forward/feed_forward",
    "\N{GREEK SMALL LETTER GAMMA}": (
        "normalization/layer_norm#one-vector-brought-to-one-scale"
    ),
    "gamma and beta": "normalization/layer_norm#one-vector-brought-to-one-scale",
    "Add & Norm": "normalization/layer_norm",
    "pos": "position/sinusoidal",
    "层归一化": "normalization/layer_norm",
    "masked self-attention": "attention/multi_head_attention#masks",
    "over-smoothing": "attention/self_attention#deeper-mixing-alone-degenerates",
    "exposure bias": "architecture/training#what-is-asked-one-word-many-times",
    "subspace": "attention/multi_head_attention#several-questions-at-once",
    "multilayer perceptron": "feed_forward/feed_forward#expand-bend-project-back",
    "look-ahead mask": "attention/multi_head_attention#masks",
    "dying ReLU": "feed_forward/activations#a-unit-that-never-wakes-up",
    "auxiliary loss": "feed_forward/variants#the-rich-get-richer",
    # Chinese names
    "自注意力": "attention/self_attention",
    "多头注意力": "attention/multi_head_attention",
    "因果掩码": "attention/multi_head_attention#masks",
    "旋转位置编码": "position/rotary",
    "残差连接": "normalization/residual_connections",
    "键值缓存": "architecture/decoding#the-cache",
    "束搜索": "architecture/decoding#greedy-and-beam-by-hand",
    "困惑度": "architecture/training#one-sentence-by-hand",
    "自回归": "architecture/decoding#one-token-at-a-time",
    "分词": "attention/embeddings",
    # Names from Chinese courses, in a longer query, in traditional signs
    "多头注意力机制": "attention/multi_head_attention",
    "梯度消失": "normalization/norm_placement#deeper-where-the-gradient-vanishes",
    "梯度爆炸": "normalization/residual_connections#the-way-back-has-paths-too",
    "泛化能力": "architecture/training#deeper-few-pairs-and-dropout",
    "长度外推": "position/sinusoidal#beyond-the-trained-length",
    "内部协变量偏移": "normalization/layer_norm#deeper-is-it-the-shift",
    "参数量": "beyond/cost_and_scale",
    "计算复杂度": "beyond/cost_and_scale#deeper-when-does-attention-dominate",
    "超参数": "architecture/training#before-the-first-long-run",
    "权重初始化": "architecture/is_it_the_model#deeper-how-it-starts",
    "优化器": "architecture/training#one-step-adam",
    "反向传播": "architecture/training#twenty-lines-that-learn",
    "微调": "own/manners",
    "机器翻译": "architecture/one_sentence#the-whole-machine",
    "推理": "architecture/decoding",
    "正则化": "architecture/training#deeper-few-pairs-and-dropout",
    "预归一化": "normalization/norm_placement#two-lines-of-code",
    "位置嵌入": "position/sinusoidal",
    "丢弃法": "architecture/training#deeper-few-pairs-and-dropout",
    "逐位前馈网络": "feed_forward/feed_forward",
    "基于位置的前馈网络": "feed_forward/feed_forward",
    "缩放因子": "attention/self_attention#why-divide-by-sqrt-d-k",
    "偏移量": "normalization/layer_norm#one-vector-brought-to-one-scale",
    "表示子空间": "attention/multi_head_attention",
    "上下文感知": "attention/self_attention",
    "注意力提示": "attention/self_attention#deeper-where-it-comes-from",
    "三角函数位置编码": "position/sinusoidal",
    "集束搜索": "architecture/decoding#greedy-and-beam-by-hand",
    "贪婪解码": "architecture/decoding#one-token-at-a-time",
    "前瞻掩码": "attention/multi_head_attention#masks",
    "死亡神经元": "feed_forward/activations#a-unit-that-never-wakes-up",
    "残差网络": "normalization/residual_connections",
    "加性注意力": "attention/self_attention#deeper-where-it-comes-from",
    "为什么除以根号 dk": "attention/self_attention#why-divide-by-sqrt-d-k",
    "自注意力機制": "attention/self_attention",
    "位置編碼": "position/sinusoidal",
    "殘差連接": "normalization/residual_connections",
    "正則化": "architecture/training#deeper-few-pairs-and-dropout",
    "自迴歸": "architecture/decoding#one-token-at-a-time",
    "旋转式位置编码": "position/rotary",
    "掩蔽多头注意力": "attention/multi_head_attention#masks",
    "遮罩": "attention/multi_head_attention#masks",
    "教师强迫": "architecture/training#what-is-asked-one-word-many-times",
    "拉伸参数": "normalization/layer_norm#one-vector-brought-to-one-scale",
    "可训练位置编码": "position/field_guide#four-questions",
    "梯度检查点": "beyond/cost_and_scale#memory-that-training-keeps",
    "子词": "attention/embeddings#between-them-byte-pair-encoding",
    "迭代周期": "architecture/training#deeper-few-pairs-and-dropout",
    "多头的作用": "attention/multi_head_attention",
    "梯度消失問題": "normalization/norm_placement#deeper-where-the-gradient-vanishes",
    # The first signs of a Chinese name
    "残": "normalization/residual_connections",
    "残差": "normalization/residual_connections",
    "旋转": "position/rotary",
    "多头": "attention/multi_head_attention",
    "位置": "position/sinusoidal",
    "困惑": "architecture/training#one-sentence-by-hand",
    # A long name and its letters
    "feed-forward network": "feed_forward/feed_forward",
    "FFN": "feed_forward/feed_forward",
    "LN": "normalization/layer_norm",
    "layer normalization": "normalization/layer_norm",
    "byte pair encoding": "attention/embeddings#between-them-byte-pair-encoding",
    "BPE": "attention/embeddings#between-them-byte-pair-encoding",
    "RMSNorm": "normalization/rms_norm",
    "SwiGLU": "feed_forward/variants#the-formulas-and-the-code",
    "mixture of experts": "feed_forward/variants#a-mixture-of-experts",
    "ALiBi": "position/field_guide#alibi-five-tokens-by-hand",
    "llama from scratch": "beyond/model_zoo#deeper-the-rest-of-llama-in-seven-lines",
    # What one looks up
    "pre-norm vs post-norm": "normalization/norm_placement",
    "post-LN": "normalization/norm_placement#two-lines-of-code",
    "warm-up": "architecture/training#the-learning-rate-up-then-down",
    "label smoothing": "architecture/training#one-sentence-by-hand",
    "teacher forcing": "architecture/training#what-is-asked-one-word-many-times",
    "beam search": "architecture/decoding#greedy-and-beam-by-hand",
    "top-p": "architecture/decoding#cutting-off-the-tail",
    "speculative decoding": "architecture/decoding#deeper-guessing-ahead",
    "residual connection": "normalization/residual_connections",
    "rank collapse": "attention/self_attention#deeper-mixing-alone-degenerates",
    "weight tying": "attention/embeddings#the-table-read-backwards",
    "RoPE layout": "position/rotary#two-layouts-one-embedding",
    "cheat sheet": "appendix/fact_cards",
    "formula sheet": "appendix/formula_card",
    # Questions, misspellings, names of code
    "how many parameters": "architecture/is_it_the_model#how-many-parameters-and-where",
    "does it extrapolate to longer sequences": (
        "position/sinusoidal#beyond-the-trained-length"
    ),
    "memory of training": "beyond/cost_and_scale#memory-that-training-keeps",
    "word order": "attention/self_attention#attention-does-not-know-about-order",
    "atention": "attention/self_attention",
    "sinosoidal": "position/sinusoidal",
    "greedy_decode": "appendix/api/decoding#transformer.decoding.greedy_decode",
    "scaled_dot_product_attention": (
        "appendix/api/layers_attention#transformer.layers.scaled_dot_product_attention"
    ),
    "install": "using_this_book#running-a-chapter",
    "batch_first": "appendix/convention_traps#the-batch-comes-second",
    # Words for what the book calls otherwise
    "backprop": "architecture/training#twenty-lines-that-learn",
    "backpropagation": "architecture/training#twenty-lines-that-learn",
    "scaling laws": "beyond/cost_and_scale#deeper-how-to-spend-a-budget",
    "Q K V": "attention/self_attention#queries-keys-and-values",
    "what is a head": "attention/multi_head_attention#several-questions-at-once",
    "fine-tuning": "own/manners",
    "lora": "own/manners#two-narrow-matrices",
    "LoRA fine-tuning": "own/manners#two-narrow-matrices",
    # A model by its name
    "gpt": "beyond/model_zoo#seven-lines-and-seven-more",
    "GPT-2": "beyond/model_zoo#seven-lines-and-seven-more",
    "BERT": "beyond/model_zoo#who-sees-whom",
    "BERT from scratch": (
        "architecture/one_page#deeper-a-published-encoder-in-these-lines"
    ),
    "smollm2": "beyond/model_zoo#smollm2-a-language-model-that-pip-installs",
    "SmolLM": "beyond/model_zoo#smollm2-a-language-model-that-pip-installs",
    # Whole questions, of which some words say nothing
    "difference between encoder and decoder": (
        "architecture/encoder_decoder#reader-writer-or-both"
    ),
    "encoder and decoder": "architecture/encoder_decoder",
    "the difference between layernorm and rmsnorm": (
        "normalization/rms_norm#three-norms-to-revise-by"
    ),
    "why layer norm before attention": "normalization/norm_placement",
    "context length": "position/rotary#a-longer-text-is-another-matter",
    "nan loss": "appendix/convention_traps#a-row-in-which-all-is-blocked",
    "softmax numerically stable": "attention/self_attention#deeper-common-errors",
    "attention is all you need figure 1": (
        "appendix/paper_to_code#attention-is-all-you-need"
    ),
    "train on my own data": "architecture/training#before-the-first-long-run",
    "my own sentences": "architecture/training#before-the-first-long-run",
    "FLOPs per token": "beyond/cost_and_scale#what-one-token-meets",
    "load llama weights": (
        "beyond/model_zoo#smollm2-a-language-model-that-pip-installs"
    ),
    "Adam": "architecture/training#one-step-adam",
    "what is a logit": "attention/big_picture#the-machine-in-one-picture",
    "overfitting": "architecture/training#deeper-few-pairs-and-dropout",
    "sliding window": "beyond/long_texts#a-window",
    "sliding window attention": "beyond/long_texts#a-window",
    "MLA": "beyond/long_texts#fewer-numbers-a-key",
    "online softmax": "beyond/long_texts#tile-by-tile",
    "mamba": "beyond/without_softmax#the-other-road-state-spaces",
    "SSM": "beyond/without_softmax#the-other-road-state-spaces",
    "linear attention": "beyond/without_softmax#one-word-after-the-other",
    "delta rule": "beyond/without_softmax#overwriting",
    "train a language model": "own/language_model",
    "bits per character": "own/language_model#pieces-and-a-fair-currency",
    "data leakage": "own/language_model#a-split-that-leaks",
    "DPO": "own/manners#two-answers-one-better",
    "GRPO": "own/manners#rewards-that-a-program-gives",
    "reward hacking": "own/manners#the-reward-that-is-gamed",
    "vision transformer": "own/beyond_words#from-patches-to-vectors",
    "CLIP": "own/beyond_words#deeper-pictures-and-words-in-one-space",
    "多模态": "own/beyond_words",
    "word2vec": "attention/embeddings#deeper-what-cosines-hide",
    "KL divergence": ("architecture/training#deeper-labels-that-are-not-quite-certain"),
    "exploding gradients": (
        "normalization/residual_connections#the-way-back-has-paths-too"
    ),
    "self attention complexity": (
        "beyond/cost_and_scale#deeper-when-does-attention-dominate"
    ),
    # Questions as students ask them
    "what is the purpose of the feed forward layer": "feed_forward/feed_forward",
    "how does a transformer predict the next word": (
        "attention/big_picture#one-word-at-a-time"
    ),
    "how does beam search work": "architecture/decoding#greedy-and-beam-by-hand",
    "explain rotary embeddings": "position/rotary",
    "positional encoding example": "position/sinusoidal",
    "why does it repeat itself": "architecture/decoding#a-loop-that-feeds-itself",
    "why is my loss not going down": "architecture/is_it_the_model",
    "can i use this without a gpu": "using_this_book#running-a-chapter",
    "which optimizer should I use": "architecture/training#one-step-adam",
    "how long does training take": "beyond/cost_and_scale#what-training-costs",
    "why does my model see the future": (
        "architecture/is_it_the_model#can-it-see-the-future"
    ),
    "rms norm paper": "normalization/rms_norm",
    "byte pair encoding algorithm": (
        "attention/embeddings#between-them-byte-pair-encoding"
    ),
    # With hyphens, in one word or two, in British spelling, with a wrong letter
    "k-v cache": "architecture/decoding#the-cache",
    "key-value-cache": "architecture/decoding#the-cache",
    "Q/K/V": "attention/self_attention#queries-keys-and-values",
    "self-attention-mechanism": "attention/self_attention",
    "soft max": "attention/big_picture#from-logits-to-a-loss",
    "feedforward": "feed_forward/feed_forward",
    "tokeniser": "attention/embeddings",
    "tokenizer": "attention/embeddings",
    "quantisation": "beyond/cost_and_scale#deeper-fewer-bits",
    "normalisation": "normalization/layer_norm",
    "initialisation of weights": "architecture/is_it_the_model#deeper-how-it-starts",
    "back propogation": "architecture/training#twenty-lines-that-learn",
    "swigloo": "feed_forward/variants#the-formulas-and-the-code",
    # Models and formulas
    "mixtral": "feed_forward/variants#deeper-the-three-at-a-glance",
    "Llama 3": "beyond/model_zoo#from-2017-to-llama-line-by-line",
    "llama architecture": "beyond/model_zoo#from-2017-to-llama-line-by-line",
    "masked language model": "attention/big_picture#three-families",
    "O(n^2)": "beyond/cost_and_scale#deeper-when-does-attention-dominate",
    "softmax(QK^T/sqrt(d_k))V": "attention/self_attention#why-divide-by-sqrt-d-k",
    # A heading, of words that say little
    "from paper to code": "appendix/paper_to_code",
    # What the book has beside its chapters
    "pdf": "using_this_book#reading",
    "solutions": "using_this_book#exercises",
    "how to cite this book": "using_this_book#license",
    "how long does it take to read": "index#how-long-it-takes",
}
ALIKE = [
    ("RoPE", "rotary position embedding"),
    ("SiLU", "sigmoid linear unit"),
    ("LN", "layer norm"),
]
TITLE = ":is(.bd-article, .bd-search-container) h1"
FRACTION = re.compile(r"\\[a-z]*frac(?![a-z])")
FIND = """(query) => {
  window.tested ??= new BookSearch(BOOK_SEARCH);
  return window.tested.search(query).map(({address}) => address);
}"""
TERMS_MARKED = "a => a.map((mark) => mark.textContent.toLowerCase())"


def read_data(site):
    data = (site / DATA).read_text("utf-8")
    return json.loads(re.search(r"\{Stemmer, \.\.\.(.*)\};\n$", data, re.S)[1])


@pytest.fixture(scope="module")
def found(browser, base):
    page = page_visit.visit(browser, base, "search.html?q=attention").page
    page.locator(".search-results li").first.wait_for()
    yield lambda query: page.evaluate(FIND, query)
    page.context.close()


@pytest.fixture(scope="module")
def screen(browser, base):
    page = page_visit.visit(browser, base, "search.html").page
    page.context.unroute_all()  # from here on it asks as any reader's does
    yield page
    page.context.close()


@pytest.fixture
def results(screen, base):
    """Search on the page of the search, in one window; the value is the page."""

    def search(words):
        screen.goto(f"{base}search.html?q={quote(words)}")
        screen.locator(".search-summary:not(:empty)").wait_for()
        return screen

    return search


def address_of(place):
    page, _, anchor = place.partition("#")
    return f"book/{page}.html" + (anchor and f"#{anchor}")


def find_rank(addresses, place):
    """Return at which place of a list an address stands, or infinity."""
    address = address_of(place)
    return addresses.index(address) + 1 if address in addresses else inf


def describe(ranks):
    """Say how well a search finds what it should."""
    among = {most: sum(rank <= most for rank in ranks.values()) for most in (1, 3, 10)}
    mean = sum(1 / rank for rank in ranks.values()) / len(ranks)
    first = ", ".join(
        f"{count} among the first {most}" for most, count in among.items()
    )
    return f"of {len(ranks)} queries {first}; mean reciprocal rank {mean:.3f}"


def test_the_right_section_comes_first(found, record_property):
    ranks = {
        query: find_rank(found(query), place) for query, place in QUESTIONS.items()
    }
    record_property("facts", len(ranks))
    record_property("ranks", describe(ranks))
    later = {query: rank for query, rank in ranks.items() if rank > 1}
    assert later == {}, describe(ranks)


def test_a_rank_counts_from_one_and_the_statistics_name_three_places():
    addresses = ["book/a.html", "book/b.html#c"]
    ranks = {place: find_rank(addresses, place) for place in ("a", "b#c", "b")}
    assert ranks == {"a": 1, "b#c": 2, "b": inf}
    assert describe(ranks) == (
        "of 3 queries 1 among the first 1, 2 among the first 3, 2 among the first 10; "
        "mean reciprocal rank 0.500"
    )


@facts("query", ["label smoothing loss", "gpt2", "layer norm"])
def test_entries_of_the_api_come_first_for_names_of_code_only(found, query):
    addresses = found(query)
    assert "/api/" not in addresses[0]
    name = "transformer.training.LabelSmoothingLoss"
    assert found("LabelSmoothingLoss")[0].endswith(f"#{name}")


@facts("short, long", ALIKE)
def test_two_names_of_a_thing_find_the_same_sections(found, short, long):
    assert set(found(short)) == set(found(long))
    assert found(short)[0] == found(long)[0]


@facts(
    "words, place",
    [
        ("RMSNorm", "api/layers_norms.html#transformer.layers.RMSNorm"),
        ("ROFormer rotary", "paper_to_code.html#roformer-enhanced-transformer"),
        ("Vaswani", "paper_to_code.html#attention-is-all-you-need"),
    ],
)
def test_the_entry_and_the_paper_are_among_the_first(found, words, place):
    assert any(f"book/appendix/{place}" in address for address in found(words)[:12])


@facts(
    "words, nearest, more",
    [
        ("RWKV", "what the field does", ""),
        ("LSTM", "A note handed along", r", and \d+ sections that mention it"),
    ],
)
def test_what_the_book_does_not_treat_leads_to_the_nearest(
    results, words, nearest, more
):
    page = results(words)
    said = page.locator("main .search-summary").inner_text()
    assert re.fullmatch(
        f"The book does not treat “{words}”. Nearest to it{more}:", said
    )
    shown = page.locator(".search-results li").all_inner_texts()
    assert nearest in shown[0]
    assert all(words.lower() in text.lower() for text in shown[1:])


def test_nothing_that_the_book_treats_is_among_what_it_does_not():
    absent = {name for group in read_groups(ABSENT) for name in group.names}
    assert absent.isdisjoint(QUESTIONS)
    assert absent.isdisjoint(n for group in read_groups(NAMES) for n in group.names)


@facts("word", ["dqn", "bort", "qlip", "rlhx"])
def test_a_short_word_finds_no_word_that_is_like_it(results, word):
    page = results(word)
    assert page.locator(".search-results li").count() == 0


@facts("words", ["why", "how to", "difference"])
def test_words_that_say_nothing_are_looked_for_where_they_stand_alone(found, words):
    assert len(found(words)) > 4


def test_what_the_book_does_not_have_is_said(results):
    page = results("zzzzqqqq")
    assert page.locator(".search-results li").count() == 0
    assert "“zzzzqqqq”" in page.locator("main .search-summary").inner_text()


def test_each_result_leads_to_a_place_that_is_there(site):
    data = read_data(site)
    missing = []
    for number, (path, _) in enumerate(data["pages"]):
        ids = set(page_files.parse(site / path).xpath("//@id"))
        anchors = [s[1] for s in data["sections"] if s[0] == number]
        missing += [f"{path}#{a}" for a in anchors if a and a not in ids]
    assert len(data["sections"]) > 900
    assert missing == []


def test_no_fraction_loses_its_stroke(site):
    formulas = {
        tex
        for path in page_files.list_pages(site)
        for tex in page_files.parse(site / path).xpath("//math//annotation/text()")
    }
    fractions = {tex: len(FRACTION.findall(tex)) for tex in formulas}
    assert sum(fractions.values()) > 80
    assert {
        tex: plain_formula(tex)
        for tex, count in fractions.items()
        if plain_formula(tex).count("/") < count + tex.count("/")
    } == {}


@facts("words", ["why sqrt", "softmax", "norm", "d_k"])
def test_excerpts_are_words_without_marks_of_tex(results, words):
    texts = results(words).locator(".search-results p").all_inner_texts()
    assert len(texts) >= 4
    assert [text for text in texts if page_visit.SOURCE.search(text)] == []


@facts("word, other", [("Adam", "AdamW"), ("mask", "masked self-attention")])
def test_the_entry_of_a_word_comes_before_those_of_longer_ones(results, word, other):
    titles = results(word).locator(".search-results a").all_inner_texts()
    assert word in titles
    assert other not in titles[: titles.index(word)]


@facts(
    "word, meaning",
    [
        ("Adam", "A way to take training steps that"),
        ("AdamW", "Adam with weight decay that"),
        ("softmax", "The exponentials of some numbers,"),
    ],
)
def test_an_entry_of_the_glossary_says_first_what_a_thing_is(results, word, meaning):
    entries = results(word).locator(".search-results li:has(a[href*='#term-'])")
    link = entries.page.get_by_role("link", name=word, exact=True)
    shown = entries.filter(has=link).locator("p").inner_text()
    assert shown.startswith(meaning)


def test_excerpts_mark_the_words_that_were_found(results):
    marks = results("label smoothing").locator(".search-results mark")
    words = marks.evaluate_all(TERMS_MARKED)
    assert {"label", "smoothing"} <= set(words)
    assert all(word.startswith(("label", "smooth")) for word in words)


def test_chinese_is_found_and_marked_within_a_sentence(results):
    first = results("页边上批改").locator(".search-results li").first
    assert "11. 残差连接" in first.inner_text()
    assert first.locator("mark").all_inner_texts() == ["页边上批改"]
    assert first.get_attribute("lang") == "zh-Hans"


def test_who_types_no_chinese_is_shown_none(found):
    for words in ("perplexity", "RMSNorm", "residual stream"):
        assert not [place for place in found(words) if place.startswith("zh/")]


@facts("words", ["bf16", "flash", "GQA", "MLP", "smollm2", "warm-up", "nucleus"])
def test_the_first_result_shows_the_word_that_was_typed(results, words):
    first = results(words).locator(".search-results li").first.inner_text()
    assert words.lower() in first.lower()


@facts(
    "words, pattern",
    [
        ("perplexity", r"Sections: \d+ with this word:"),
        ("label smoothing", r"Sections: \d+ with all these words:"),
        ("why sqrt", r"Sections: \d+ with all these words, \d+ with another name for "),
        ("softmx", r"Sections: \d+ with words like it"),
        ("rlhf2", r"Sections: \d+ with words like it"),
        ("zzzzqqqq perplexity", "No section has all these words. With some of them:"),
        ("mask", r"Sections: \d+ with this word.*; the first 40:"),
    ],
)
def test_a_count_says_what_it_counts(results, words, pattern):
    summary = results(words).locator("main .search-summary").inner_text()
    assert re.match(pattern, summary)


@facts("word, form", [("tokenizer", "tokeniz"), ("rotary", "rotary")])
def test_sections_are_counted_that_have_the_word_themselves(results, site, word, form):
    summary = results(word).locator("main .search-summary").inner_text()
    data = read_data(site)
    known = {place: names for place, *names in data["groups"]}
    texts = [
        " ".join([*section[2:], *known.get(place, [])])
        for place, section in enumerate(data["sections"])
        if not data["pages"][section[0]][0].startswith("zh/")  # shown to who types it
    ]
    begins = re.compile(f"(?<![a-z]){form}|{form.title()}|{form.upper()}")
    having = [text for text in texts if begins.search(text)]
    assert f" {len(having)} with this word," in summary
    assert re.search(r"\d+ on pages about it", summary)


@facts(
    "words, label",
    [("bf16", "also found as: bf16"), ("LabelSmoothingLoss", "in its code: ")],
)
def test_a_name_that_no_sentence_has_stands_beside_the_excerpt(results, words, label):
    page = results(words)
    labels = page.locator(".search-results .search-label").all_inner_texts()
    assert any(text.startswith(label) for text in labels)
    texts = page.locator(".search-results p").all_inner_texts()
    assert not [text for text in texts if text.startswith(("About ", "In code: "))]


def test_rows_of_a_table_are_told_apart(results):
    texts = (
        results("GPT-NeoX configs 20B").locator(".search-results p").all_inner_texts()
    )
    assert any(
        "GPT-NeoX \N{EN DASH} Black et al. (2022), section 2.1" in text
        for text in texts
    )


def test_a_result_leads_to_its_section(results):
    page = results("KV cache")
    page.locator(".search-results a").first.click()
    page.wait_for_url("**/decoding.html#the-cache")
    page.locator("#the-cache").wait_for()


def test_every_page_says_to_search_engines_what_it_is_for(site):
    told = {
        path: page_files.parse(site / path).xpath(
            "//meta[@name='description']/@content"
        )
        for path in [*page_files.list_pages(site), "search.html", "404.html"]
    }
    leading_on = {"index.html", "book/architecture/transformer.html"}
    assert {path for path, texts in told.items() if len(texts) != 1} <= leading_on
    assert len(told["search.html"]) == len(told["404.html"]) == 1


def test_without_scripts_the_page_of_the_search_has_no_field(browser, base):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{base}search.html")
    assert page.locator("main noscript p").is_visible()
    assert not page.locator("main input").is_visible()
    context.close()


def test_results_follow_what_is_typed(results):
    page = results("mask")
    page.locator("main .bd-search input").fill("perplexity")
    page.locator(".search-results a", has_text="One sentence by hand").wait_for()
    assert page.url.endswith("?q=perplexity")


def test_ctrl_k_searches_from_any_page_with_keys_alone(browser, base):
    page = page_visit.visit(browser, base, "book/attention/self_attention.html").page
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog[open] input").wait_for()
    page.keyboard.type("RoPE layout")
    page.locator("#pst-search-dialog .search-results a").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/rotary.html#two-layouts-one-embedding")
    page.context.close()


@pytest.fixture
def open_dialog(browser, base):
    """Open a chapter and the search in it, in one window; the value is the page."""
    chapter = "book/attention/self_attention.html"
    page = browser.new_page(viewport=page_visit.DESKTOP)

    def open_it():
        page.goto(base + chapter)
        page.keyboard.press("Control+k")
        page.locator("#pst-search-dialog[open] input").wait_for()
        return page

    yield open_it
    page.close()


@pytest.fixture
def dialog(open_dialog):
    return open_dialog()


def test_enter_opens_the_first_result(dialog):
    dialog.keyboard.type("KV cache")
    dialog.keyboard.press("Enter")  # without waiting for the list
    dialog.wait_for_url("**/decoding.html#the-cache")


@facts("query", ["k-v cache", "how does beam search work"])
def test_the_dialog_finds_what_the_page_finds(open_dialog, query):
    dialog = open_dialog()
    dialog.keyboard.type(query)
    dialog.keyboard.press("Enter")
    page, _, anchor = QUESTIONS[query].partition("#")
    dialog.wait_for_url(f"**/book/{page}.html#{anchor}")


def test_the_dialog_leads_to_all_results(dialog):
    dialog.keyboard.type("attention")
    dialog.locator("#pst-search-dialog .search-results a").first.wait_for()
    dialog.locator("#pst-search-dialog a", has_text="All results").click()
    dialog.wait_for_url("**/search.html?q=attention")
    dialog.locator("#search-results li").nth(6).wait_for()


def test_the_open_dialog_does_not_say_how_to_open_it(dialog):
    box = dialog.locator("#pst-search-dialog")
    assert "Ctrl" in box.text_content()  # as the theme writes it
    assert "Ctrl" not in box.inner_text()


def test_a_reader_learns_that_the_search_did_not_load(browser, base):
    context = browser.new_context()
    page = context.new_page()
    page.route(f"**/{DATA}", lambda route: route.abort())
    page.goto(f"{base}search.html?q=mask")
    page.locator(".search-summary", has_text="reload the page").wait_for()
    context.close()


def test_data_is_fetched_when_somebody_searches(browser, base):
    visit = page_visit.visit(browser, base, "book/attention/self_attention.html")
    asked = [path.partition("?")[0] for path in visit.requests]
    assert not {DATA, "_static/search/minisearch.js"} & set(asked)
    visit.page.keyboard.press("Control+k")
    visit.page.locator("#pst-search-dialog[open] input").fill("mask")
    visit.page.locator("#pst-search-dialog .search-results a").first.wait_for()
    assert DATA in visit.requests
    visit.page.context.close()


def test_the_magnifier_stands_beside_what_is_typed(results):
    page = results("mask")
    field = page.locator("main .bd-search input")
    inset = field.evaluate("e => parseFloat(getComputedStyle(e).paddingLeft)")
    start = field.bounding_box()["x"] + inset
    icon = page.locator("main .bd-search i").bounding_box()
    assert icon["x"] + icon["width"] <= start


@facts("viewport", [page_visit.DESKTOP, page_visit.PHONE])
def test_the_heading_looks_like_that_of_a_chapter(browser, base, viewport):
    looks = []
    for path in ("search.html", "book/notation.html"):
        page = page_visit.visit(browser, base, path, viewport=viewport).page
        look = "h => [getComputedStyle(h).fontSize, getComputedStyle(h).fontWeight]"
        looks.append(page.locator(TITLE).evaluate(look))
        page.context.close()
    assert looks[0] == looks[1]
