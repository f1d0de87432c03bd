"""The widgets. Each knows its arguments and its children, and nothing of sessions, stores or clients."""
