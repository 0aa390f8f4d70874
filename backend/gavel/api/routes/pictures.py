"""Pictures of notifications, for chat services that fetch them: by a signed address that expires, without login."""

from threading import BoundedSemaphore
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from gavel.alerting.use.pictures import event_of, png_of
from gavel.api.deps import AppDep, NowDep
from gavel.api.problems import refuses

router = APIRouter(tags=["alerts"])

# Drawing takes a quarter of a second of a processor: few at a time.
_DRAWN = BoundedSemaphore(2)


@router.get(
    "/alert-pictures/{token}", response_class=Response, responses={200: {"content": {"image/png": {}}}, **refuses(429)}
)
def alert_picture(
    token: Annotated[str, Path(max_length=400, pattern=r"^[A-Za-z0-9_.-]*$")], app: AppDep, at: NowDep
) -> Response:
    """The waterfall that goes with a message."""
    # Before it takes a place: an address that nobody signed keeps no picture waiting.
    event_id = event_of(app.vault, token, at)
    if not _DRAWN.acquire(blocking=False):
        raise HTTPException(429, "Other pictures are being drawn. Try again in some seconds.", {"Retry-After": "5"})
    try:
        png = png_of(app.engine, event_id)
    finally:
        _DRAWN.release()
    return Response(png, media_type="image/png", headers={"Cache-Control": "private, max-age=86400"})
