"""The kinds of check of this book: what each catches, an example, what it misses.

Each has an example, and the test that is one; a test sees that this test exists.
"""

from typing import NamedTuple


class Check(NamedTuple):
    """A kind of check, in words."""

    name: str
    catches: str
    example: str
    where: str
    misses: str


CHECKS = (
    Check(
        "Outputs are computed again",
        "an output that the code above it no longer gives",
        "a cell that prints 0.1234 over a stored 0.1334 fails",
        "tests/bookkit/checking/compare/test_plugin.py::"
        "test_a_cell_passes_or_fails_with_its_reason",
        "a mistake that is in the code, and so in both outputs",
    ),
    Check(
        "A canary",
        "a comparison that lets a wrong output pass",
        "ten wrong outputs are planted in a notebook, and each must fail",
        "tests/bookkit/checking/canary/test_verdict.py::test_something_planted_that_passes_is_red",
        "a kind of fault that nobody planted",
    ),
    Check(
        "Other environments",
        "an output that depends on the computer it is computed on",
        "the notebooks are run with two threads, and without a network",
        "tests/bookkit/checking/determinism/test_rounds.py::"
        "test_a_notebook_is_compared_and_the_probe_is_not_counted",
        "a kind of computer that nobody tried",
    ),
    Check(
        "Package cells equal the package",
        "a page that shows other code than the package runs",
        "a changed source makes its cell stale",
        "tests/book/test_drawn_cells.py::"
        "test_drawn_cells_hold_the_source_of_the_package",
        "a mistake in the package",
    ),
    Check(
        "Equations by hand",
        "a formula that was read wrongly",
        "layer normalization of (1, 2, 3, 4), worked out on paper",
        "tests/layers/test_norms.py::test_the_worked_example_of_layer_norm",
        "a mistake that the one example does not show",
    ),
    Check(
        "Laws on random inputs",
        "code that breaks a theorem of the text on some input",
        "a later token that changes an earlier logit",
        "tests/models/test_invariants.py::test_future_tokens_do_not_change_the_past",
        "a wrong formula that keeps the law, such as another scale of the scores",
    ),
    Check(
        "Parity, with gradients",
        "a difference from what PyTorch and Hugging Face compute",
        "a GPT-2 of ours, loaded with weights of theirs",
        "tests/zoo/test_gpt2.py::test_logits_and_gradients_equal_the_reference",
        "a mistake that both share, and parts that they do not have",
    ),
    Check(
        "Errors",
        "bad input that is accepted, or refused without a remedy",
        "a size that the number of heads does not divide",
        "tests/layers/test_multi_head_attention.py::"
        "test_bad_input_is_refused_with_what_to_do",
        "bad input that nobody thought of",
    ),
    Check(
        "Exercises",
        "a starter that passes, a solution that does not",
        "every property is shown an answer that lacks it",
        "tests/chapters/test_wrong_answers.py::"
        "test_a_wrong_answer_is_told_what_is_missing",
        "a wrong answer that has all the properties asked for",
    ),
    Check(
        "Decimals in the prose",
        "a decimal of three places or more in a sentence that no cell has shown",
        "the rule `decimals_come_from_cells`",
        "tests/book/test_notebook_rules.py::test_the_notebook_keeps_the_rule",
        "an integer, a percentage or a decimal of one or two places, and a wrong "
        "conclusion from a right number",
    ),
    Check(
        "Stored measurements",
        "a file of measurements that nobody can make again",
        "each file names the command that made it, and the command exists",
        "tests/chapters/laboratory/test_measurements.py::"
        "test_every_file_of_the_book_names_a_command_that_exists",
        "a long training that would end otherwise today: it is not run again",
    ),
    Check(
        "The site in a browser",
        "a formula that shows as source, a dead link, a request to a third party",
        "every page is opened, in light and in dark",
        "tests/site/test_pages.py::test_page_asks_nobody_else",
        "a picture that is correct and misleads",
    ),
    Check(
        "Scripts of a page",
        "a script that runs on a page without having been there when it was built",
        "a script that is put into a page does not run",
        "tests/site/test_policy.py::test_scripts_that_come_later_do_not_run",
        "a script that was wrong when the page was built",
    ),
    Check(
        "Hostile input",
        "a tool that falls over a broken notebook, waits for ever, or writes half of "
        "its files",
        "every command is shown a cut-off file, a link out of the book, 50 MB",
        "tests/bookkit/hostile/test_hostile_files.py::"
        "test_each_command_names_file_and_fault_and_changes_nothing",
        "a file that is broken in a way that nobody thought of",
    ),
)
