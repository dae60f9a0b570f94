"""The only place where time is measured; nothing here asserts one."""
