"""What is asked for before the first sign-in. Without the store: `gavel up` carries none of it."""

from pathlib import Path


def needs_admin(host: str, setup_token_file: Path) -> str:
    """Why Gavel does not listen beyond its own machine before the first sign-in, and the remedy."""
    return (
        f"Gavel does not listen on {host} before it has an admin. Start it on 127.0.0.1, open the printed address, "
        f"sign in with the setup token from {setup_token_file}, then start it on {host} again."
    )
