"""What a content is known by. Loaded when something is: `hashlib` wakes OpenSSL, which takes half a megabyte."""


def sha256(content: bytes) -> str:
    """SHA-256 in hexadecimal."""
    import hashlib

    return hashlib.sha256(content).hexdigest()


def blake2b(content: bytes, size: int) -> bytes:
    """BLAKE2b with a digest of `size` bytes."""
    import hashlib

    return hashlib.blake2b(content, digest_size=size).digest()
