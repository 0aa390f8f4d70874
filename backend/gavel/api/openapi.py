"""`python -m gavel.api.openapi FILE`: write the API's description, for the typed client of the front end."""

import json
import sys
from pathlib import Path

from gavel import __version__
from gavel.api.app import PREFIX, routes
from gavel.api.described import DescribedApi


def document() -> dict[str, object]:
    app = DescribedApi(title="Gavel", version=__version__)
    app.include_router(routes(), prefix=PREFIX)
    return app.openapi()


if __name__ == "__main__":
    # A description that cannot be made leaves the former file as it is.
    text = json.dumps(document(), indent=1, sort_keys=True)
    Path(sys.argv[1]).write_text(f"{text}\n", encoding="utf-8")
