"""Takes the endpoint's key out of what programs print, also where it comes in pieces."""

KEY_LEFT_OUT = "[the endpoint's key was here]"
SHORTEST_KEY = 8
"""Shorter keys are placeholders of local servers and occur in texts by chance."""


def without_key(text: str, key: str) -> str:
    """The text without the endpoint's key."""
    return text.replace(key, KEY_LEFT_OUT) if len(key) >= SHORTEST_KEY else text


class KeyFilter:
    """Lets output through piece by piece, without the key; an end that may be the beginning of it waits for more."""

    def __init__(self, key: str) -> None:
        self._key = key.encode("utf-8", "surrogatepass") if len(key) >= SHORTEST_KEY else b""
        self._waiting = b""

    def passing(self, piece: bytes) -> bytes:
        """What of this piece, and of what has waited, may be kept and shown now."""
        if not self._key:
            return piece
        output = (self._waiting + piece).replace(self._key, KEY_LEFT_OUT.encode())
        longest = min(len(self._key) - 1, len(output))
        held = next((n for n in range(longest, 0, -1) if output.endswith(self._key[:n])), 0)
        self._waiting = output[len(output) - held :]
        return output[: len(output) - held]

    def rest(self) -> bytes:
        """What still waits when no more is to come: it was not the key."""
        rest, self._waiting = self._waiting, b""
        return rest
