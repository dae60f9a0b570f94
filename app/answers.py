"""The words under an answer: its figures, and why it ended."""

from PySide6.QtCore import QCoreApplication

from app.conversation_view import ViewMessage
from app.history import StoredMessage
from engine import Statistics, StopReason


def figures_of(model: str, statistics: Statistics) -> str:
    """The small line of figures."""
    figures = [model]
    if statistics.decode_tokens_per_second:
        rate = QCoreApplication.translate("answers", "{rate} tokens/s")
        figures.append(rate.format(rate=f"{statistics.decode_tokens_per_second:.1f}"))
    if statistics.generated_tokens:
        first = QCoreApplication.translate("answers", "first token after {seconds} s")
        figures.append(first.format(seconds=f"{statistics.first_token_seconds:.2f}"))
    return " · ".join(figures)


def notice_of(reason: StopReason) -> str:
    """Why an answer ended, in plain words; nothing where it simply came to its end."""
    match reason:
        case "end" | "stop":
            return ""
        case "length":
            return QCoreApplication.translate("answers", "The answer is cut here: it reached the length limit.")
        case "cancelled":
            return QCoreApplication.translate("answers", "You stopped this answer.")
        case "repetition":
            return QCoreApplication.translate("answers", "Ended here, because the model repeated itself without end.")


def view_of(message: StoredMessage) -> ViewMessage:
    """A stored message as it is shown."""
    footer, notice = "", ""
    if message.reply and message.reply.statistics and message.reply.stop_reason:
        footer = figures_of(message.reply.model, message.reply.statistics)
        notice = notice_of(message.reply.stop_reason)
    if message.state == "interrupted":
        notice = QCoreApplication.translate("answers", "Interrupted: the program ended before the answer was complete.")
    elif message.state == "failed":
        notice = message.error
    versions = message.versions or (message.id,)
    version = versions.index(message.id) + 1
    return ViewMessage(message.id, message.role, message.text, footer, notice, version, len(versions))
