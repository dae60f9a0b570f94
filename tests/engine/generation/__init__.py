"""Stage 4: choosing tokens and stopping."""
