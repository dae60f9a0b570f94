"""Stage 1: a prompt that fits, safely written."""
