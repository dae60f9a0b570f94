"""The specification of the models on the disk and of the way they get there."""
