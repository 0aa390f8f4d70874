"""A session of the vendor's own SDK, driven line by line: one JSON call in, one JSON answer out.

    python session.py ADDRESS CA_FILE API_TOKEN [VERSION]

Runs in the peers' environment, which has nothing of this repository. The first line out is the negotiated version.
A call is {"call": "get_volumes", "arguments": {...}}; an answer has the items as dictionaries, or the errors. With "count" in the place of
"call" all items are fetched as well, and only their number is answered.
"""

import json
import sys
from typing import Any

from pypureclient import flasharray
from pypureclient.configuration import Configuration
from pypureclient.responses import ValidResponse


def main(address: str, ca_file: str, api_token: str, version: str | None = None) -> None:
    configuration = Configuration(ssl_ca_cert=ca_file)
    configuration.verify_ssl = True
    client = flasharray.Client(
        address, version=version, api_token=api_token, configuration=configuration, timeout=30, retries=2
    )
    say({"version": client.get_rest_version()})
    for line in sys.stdin:
        request = json.loads(line)
        say(counted(client, request) if "count" in request else answer(client, request["call"], request["arguments"]))


def counted(client: Any, request: dict[str, Any]) -> dict[str, Any]:
    response = getattr(client, request["count"])(**request["arguments"])
    return {"status": response.status_code, "rows": len(list(response.items))}


def answer(client: Any, call: str, arguments: dict[str, Any]) -> dict[str, Any]:
    response = getattr(client, call)(**arguments)
    if not isinstance(response, ValidResponse):
        errors = [{"context": error.context, "message": error.message} for error in response.errors]
        return {"status": response.status_code, "errors": errors}
    return {
        "status": response.status_code,
        "items": [item.to_dict() for item in response.items],
        "total_item_count": response.total_item_count,
    }


def say(value: Any) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
