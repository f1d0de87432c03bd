"""The full-screen interface: the only package that knows Textual. It shows events and asks; it decides nothing."""
