import torch

from chapters.laboratory import kept as module
from chapters.laboratory.kept import FOLDER, kept


def counted(made):
    """Return what makes a pair of tensors, and counts how often it does."""

    def make():
        made.append(1)
        return torch.arange(7.0), [torch.ones(3)]

    return make


def test_without_a_folder_all_is_made_anew(monkeypatch, tmp_path):
    monkeypatch.delenv(FOLDER, raising=False)
    monkeypatch.chdir(tmp_path)
    made = []
    kept("pair", counted(made))
    kept("pair", counted(made))
    assert len(made) == 2
    assert not list(tmp_path.iterdir())


def test_what_is_kept_is_made_once_and_the_same(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path / "kept"))
    made = []
    for _ in range(2):
        one, (other,) = kept("pair", counted(made))
        assert torch.equal(one, torch.arange(7.0))
        assert torch.equal(other, torch.ones(3))
    assert len(made) == 1


def test_a_change_of_what_was_kept_stays_with_who_makes_it(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path))
    for _ in range(2):
        one, _ = kept("pair", counted([]))
        assert one[3] == 3
        one[3] = 5


def test_other_code_makes_it_anew(monkeypatch, tmp_path):
    monkeypatch.setenv(FOLDER, str(tmp_path))
    made = []
    for version in ("old", "new"):
        monkeypatch.setattr(module, "version", lambda version=version: version)
        kept("pair", counted(made))
    assert len(made) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["pair-new.pt"]


def test_the_version_tells_other_code_apart(monkeypatch, tmp_path):
    package = tmp_path / "chapters"
    package.mkdir()
    (package / "__init__.py").write_text("one = 1\n")
    monkeypatch.setattr(module.chapters, "__file__", str(package / "__init__.py"))
    before = module.version.__wrapped__()
    (package / "__init__.py").write_text("one = 2\n")
    assert module.version.__wrapped__() != before
