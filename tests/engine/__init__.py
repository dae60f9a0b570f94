"""The engine, stage by stage."""
