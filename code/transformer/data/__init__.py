"""The data: texts, where they come from, and what a model sees of them."""

from transformer.data.answers import Answer, answer_batch, mark_answer
from transformer.data.batches import IGNORED, Batch
from transformer.data.corpora import CORPORA, LoadedCorpus, load_corpus
from transformer.data.download import DownloadError, fetch
from transformer.data.examples import Example, encode_pairs, encode_texts, pad
from transformer.data.loaders import SortedBatches, TrainingBatches, sorted_batches
from transformer.data.numerals import english, french, read_english
from transformer.data.pairs import DataError, Pair, Splits
from transformer.data.parallel_text import ReadResult, read_parallel
from transformer.data.read_report import ReadReport, Reports
from transformer.data.subwords import SubwordTokenizer
from transformer.data.tasks import TASKS, number_words, reversal
from transformer.data.text_batches import TextBatches, text_windows
from transformer.data.tokenizer import (
    BOS_ID,
    EOS_ID,
    PAD_ID,
    SPECIALS,
    UNK_ID,
    Tokenizer,
)
from transformer.data.tokenizer_kinds import (
    TOKENIZERS,
    CharacterTokenizer,
    WordTokenizer,
    tokenizer_from_dict,
)

__all__ = [
    "BOS_ID",
    "CORPORA",
    "EOS_ID",
    "IGNORED",
    "PAD_ID",
    "SPECIALS",
    "TASKS",
    "TOKENIZERS",
    "UNK_ID",
    "Answer",
    "Batch",
    "CharacterTokenizer",
    "DataError",
    "DownloadError",
    "Example",
    "LoadedCorpus",
    "Pair",
    "ReadReport",
    "ReadResult",
    "Reports",
    "SortedBatches",
    "Splits",
    "SubwordTokenizer",
    "TextBatches",
    "Tokenizer",
    "TrainingBatches",
    "WordTokenizer",
    "answer_batch",
    "encode_pairs",
    "encode_texts",
    "english",
    "fetch",
    "french",
    "load_corpus",
    "mark_answer",
    "number_words",
    "pad",
    "read_english",
    "read_parallel",
    "reversal",
    "sorted_batches",
    "text_windows",
    "tokenizer_from_dict",
]
