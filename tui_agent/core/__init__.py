"""Values without I/O and without a clock: entries, messages, events."""
