"""The specification of the command line."""
