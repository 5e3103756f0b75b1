"""Members of an archive, read by name and never unpacked onto the disk."""

import tarfile
import zipfile
from io import BytesIO
from pathlib import Path, PurePosixPath

from transformer.data.pairs import DataError


def read_members(path: Path, names: tuple[str, ...]) -> list[BytesIO]:
    """Return the content of members of a zip or tar archive.

    A member is found by the last part of its path. Other members, such as the
    `._test.de` that some systems add, are not looked at.

    Raises:
        DataError: If the file is no archive, or not one member has a name.
    """
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            files = {i.filename: i for i in archive.infolist() if not i.is_dir()}
            found = [files[only(name, list(files), path)] for name in names]
            return [BytesIO(archive.read(member)) for member in found]
    if not tarfile.is_tarfile(path):
        raise DataError(
            f"{path} must be a zip or tar archive, got something else; delete it and "
            "load again."
        )
    with tarfile.open(path) as archive:
        files = {member.name: member for member in archive if member.isfile()}
        found = [files[only(name, list(files), path)] for name in names]
        return [BytesIO(archive.extractfile(member).read()) for member in found]


def only(name: str, places: list[str], path: Path) -> str:
    """Return the one place in an archive that ends in a name."""
    found = [place for place in places if PurePosixPath(place).name == name]
    if len(found) != 1:
        raise DataError(
            f"{path} must hold one {name}, got {len(found)} among "
            f"{', '.join(sorted(places)) or 'nothing'}; it is another archive than "
            "expected."
        )
    return found[0]
