"""The failures that a person can act on, each with one sentence for them.

Anything else that escapes the engine is a fault of ours and keeps its stack trace.
"""


class SixpaneError(Exception):
    """A failure that the person can act on.

    The sentence is a template with named fields, so that a window can translate it before the values are filled in;
    ``str(error)`` is the English sentence. The technical cause, where there is one, is the exception's ``__cause__``.

    Attributes:
        template: The English sentence with ``{named}`` fields; the key of its translation.
        values: What fills the fields.
    """

    def __init__(self, template: str, **values: object) -> None:
        super().__init__(template.format(**values))
        self.template = template
        self.values = values

    def __reduce__(self) -> tuple[object, ...]:
        """Survive the way back from a child process, where exceptions are pickled."""
        return _rebuild, (type(self), self.template, self.values)


def _rebuild(kind: type[SixpaneError], template: str, values: dict[str, object]) -> SixpaneError:
    return kind(template, **values)


class SettingsError(SixpaneError):
    """A setting is outside its range."""


class InputError(SixpaneError):
    """What was given as a question is no text."""


class PromptTooLongError(SixpaneError):
    """The question does not fit into the context; ``values["over"]`` says by how many tokens."""


class TemplateError(SixpaneError):
    """The model's chat template is missing, refused by the sandbox, or fails on this conversation."""


class ModelFolderError(SixpaneError):
    """A model folder is missing, incomplete, cut or altered."""


class ModelFileError(SixpaneError):
    """A file that was to be imported cannot be read, lies about itself, or holds what Sixpane does not support."""


class ModelRunError(SixpaneError):
    """The runtime failed while it computed an answer."""


class CacheFileError(SixpaneError):
    """The cache of a conversation cannot be kept on the disk."""


class DownloadError(SixpaneError):
    """A download failed, or what came is not what was asked for."""


class OfflineError(SixpaneError):
    """A connection would be needed, and the person has refused connections."""


class CancelledError(SixpaneError):
    """The person cancelled a long operation; nothing of it was kept."""

    def __init__(self, template: str = "Cancelled; nothing was kept.", **values: object) -> None:
        super().__init__(template, **values)
