"""`python -m gavel.api.openapi`: print the API's description, for the typed client of the front end."""

import json
import sys

from gavel import __version__
from gavel.api.app import PREFIX, routes
from gavel.api.examples import IllustratedApi


def document() -> dict[str, object]:
    app = IllustratedApi(title="Gavel", version=__version__, generate_unique_id_function=lambda route: route.name)
    app.include_router(routes(), prefix=PREFIX)
    return app.openapi()


if __name__ == "__main__":
    json.dump(document(), sys.stdout, indent=1, sort_keys=True)
    sys.stdout.write("\n")
