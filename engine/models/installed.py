"""A model folder as it is found on the disk, sound or damaged."""

import re
import unicodedata
from dataclasses import dataclass
from hashlib import file_digest
from pathlib import Path

from engine.errors import ModelFolderError
from engine.models.manifest import Manifest, Precision

LONGEST_NAME = 60
# Windows gives these names to devices, whatever follows after a full stop.
DEVICE_NAMES = {"con", "prn", "aux", "nul", *(f"{port}{number}" for port in ("com", "lpt") for number in range(10))}


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model folder, as it was found.

    Attributes:
        id: Name of the folder.
        path: The folder.
        bytes: Size of its files.
        manifest: What it is; None where the folder is damaged.
        problem: What is wrong with it; None where nothing is.
    """

    id: str
    path: Path
    bytes: int
    manifest: Manifest | None
    problem: ModelFolderError | None

    @classmethod
    def of_folder(cls, folder: Path) -> "InstalledModel":
        """Look at a folder; what is wrong with it goes into `problem`."""
        manifest = problem = None
        try:
            manifest = Manifest.read(folder)
        except ModelFolderError as error:
            problem = error
        size = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
        return cls(folder.name, folder, size, manifest, problem)

    @property
    def name(self) -> str:
        """The name that a person reads."""
        return self.manifest.name if self.manifest else self.id

    def verify(self) -> Manifest:
        """Compare every file with its SHA-256 in the manifest.

        Raises:
            ModelFolderError: Something is wrong; the sentence names the file.
        """
        manifest = Manifest.read(self.path)
        for file, record in manifest.files.items():
            if sha256_of(self.path / file) != record.sha256:
                raise ModelFolderError(
                    "The model {folder} is damaged: {file} is not what was written (its SHA-256 differs); import the "
                    "model again.",
                    folder=self.id,
                    file=file,
                )
        return manifest


def folder_name(name: str, precision: Precision) -> str:
    """A name for a model's folder that Windows and Linux allow, in small letters."""
    text = unicodedata.normalize("NFKC", name).casefold()
    text = re.sub(r"[^\w.]+", "-", text)[:LONGEST_NAME].strip("-.")
    if not text or text.split(".")[0] in DEVICE_NAMES:
        text = f"model-{text}".strip("-")
    return f"{text}-{precision}"


def sha256_of(path: Path) -> str:
    """SHA-256 of a file in lower-case hexadecimal."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
