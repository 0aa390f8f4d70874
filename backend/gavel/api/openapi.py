"""`python -m gavel.api.openapi`: print the API's description, for the typed client of the front end."""

import json
import sys

from gavel import __version__
from gavel.api.app import PREFIX, routes
from gavel.api.described import DescribedApi


def document() -> dict[str, object]:
    app = DescribedApi(title="Gavel", version=__version__)
    app.include_router(routes(), prefix=PREFIX)
    return app.openapi()


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")
