"""The screens: the chat, and the modals that lie over it."""
