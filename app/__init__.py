"""The desktop application and the command line; the only place that imports PySide6."""
