"""A full-screen terminal chat and agent that shows what it will forget before it forgets it."""

__version__ = "0.1.0"
