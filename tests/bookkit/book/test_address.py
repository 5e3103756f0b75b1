"""The repository's address is read from the configuration."""

from bookkit.book.address import files_url
from bookkit.checking.facts import facts


@facts("branch, folder", [(", branch: next", "next"), ("", "main")])
def test_files_are_shown_on_the_branch_that_is_published(tmp_path, branch, folder):
    config = f"repository: {{url: https://a.org/b/c{branch}}}\n"
    (tmp_path / "_config.yml").write_text(config)
    assert files_url(tmp_path) == f"https://a.org/b/c/blob/{folder}"
