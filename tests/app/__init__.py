"""The specification of the application."""
