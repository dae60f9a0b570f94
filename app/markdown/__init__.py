"""Markdown as plain values: text in, paragraphs, code and tables out; no widgets and no HTML."""

from app.markdown.addresses import LinkTarget
from app.markdown.blocks import Block, Code, Paragraph, Span, Table
from app.markdown.parser import parse
from app.markdown.streaming import StreamingMarkdown, Update

__all__ = ["Block", "Code", "LinkTarget", "Paragraph", "Span", "StreamingMarkdown", "Table", "Update", "parse"]
