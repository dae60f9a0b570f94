"""The conversation as widgets: streaming Markdown, code with a copy button, links that ask before they open."""

from app.conversation_view.message import ViewMessage
from app.conversation_view.view import MessageView

__all__ = ["MessageView", "ViewMessage"]
