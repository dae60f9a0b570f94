"""What a download or an installation would do, and how far it is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from engine.models.starters import Starter


@dataclass(frozen=True, slots=True)
class DownloadPlan:
    """What would come over the network, to be said before it does.

    Attributes:
        starter: What would be fetched.
        missing: Bytes that would come.
        source: Host of the package index; empty where pip is told to use none.
    """

    starter: Starter
    missing: int
    source: str


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """How far a download is.

    Attributes:
        done: Bytes that are on the disk, those of earlier attempts included.
        total: Bytes of the whole download.
        resumable: Whether a stop now keeps what came; False while pip itself fetches a wheel whole.
    """

    done: int
    total: int
    resumable: bool = True


@dataclass(frozen=True, slots=True)
class InstallProgress:
    """How far the installation of a model is: the same for a download and for a conversion.

    Attributes:
        phase: What is going on.
        stage: The step of a conversion, in the converter's words; empty for a download.
        fraction: How much of this phase is done, from 0 to 1.
        download: The bytes, in the download's phase.
    """

    phase: Literal["download", "conversion"]
    stage: str
    fraction: float
    download: DownloadProgress | None = None


DownloadReport = Callable[[DownloadProgress], None]
InstallReport = Callable[[InstallProgress], None]
