"""What a model folder is, which models are on the disk, and how the starters get there."""
