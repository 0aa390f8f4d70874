"""Rules of alerts: list, add, change, try on the past, import and export."""

from threading import BoundedSemaphore

from fastapi import APIRouter, HTTPException, Response

from gavel.api.convert_alerts import preview_out, rule_out
from gavel.api.deps import AdminOnly, HouseDep, NowDep, ReaderOnly
from gavel.api.problems import refuses
from gavel.api.schemas.alerts import (
    PreviewIn,
    PreviewOut,
    QuantityOut,
    RuleBody,
    RuleChange,
    RuleOut,
    RulesFile,
    RulesImported,
)
from gavel.db.engine import reading
from gavel.db.queries import alert_rules as stored
from gavel.pipeline import alert_rules as use
from gavel.pipeline.previewing import preview

router = APIRouter(tags=["alert rules"], dependencies=[ReaderOnly])

# A preview reads up to a week of the ledger: few at a time.
_PREVIEWS = BoundedSemaphore(2)
YAML = "application/yaml"


@router.get("/alert-quantities")
def alert_quantities() -> list[QuantityOut]:
    """What a rule's condition may compare."""
    return [QuantityOut.model_validate(one) for one in use.quantities()]


@router.get("/alert-rules")
def alert_rules(here: HouseDep) -> list[RuleOut]:
    with reading(here.engine) as connection:
        counts = stored.open_counts(connection)
        return [rule_out(row, counts) for row in stored.rule_rows(connection)]


@router.post("/alert-rules", dependencies=[AdminOnly], status_code=201, responses=refuses(409))
def add_alert_rule(body: RuleBody, here: HouseDep, at: NowDep) -> RuleOut:
    return _one(here, use.add(here.engine, body.model_dump(), at))


@router.get("/alert-rules/export", response_class=Response, responses={200: {"content": {YAML: {}}}})
def export_alert_rules(here: HouseDep) -> Response:
    """All rules as YAML; importing it changes nothing."""
    with reading(here.engine) as connection:
        text = use.export(stored.rule_rows(connection))
    named = {"Content-Disposition": 'attachment; filename="gavel-rules.yaml"'}
    return Response(text, media_type=YAML, headers=named)


@router.post("/alert-rules/import", dependencies=[AdminOnly])
def import_alert_rules(body: RulesFile, here: HouseDep, at: NowDep) -> RulesImported:
    """Brings the rules to what a file says, by their keys, all or none."""
    found = use.take_file(here.engine, body.yaml, at, replace=body.replace, dry_run=body.dry_run)
    return RulesImported.model_validate(found)


@router.post("/alert-rules/preview", dependencies=[AdminOnly], responses=refuses(429))
def preview_alert_rule(body: PreviewIn, here: HouseDep, at: NowDep) -> PreviewOut:
    """When a rule would have fired over the last days, from minutes where that is not too much, else from rows of five minutes."""
    if not _PREVIEWS.acquire(blocking=False):
        raise HTTPException(429, "Other previews are being made. Try again in some seconds.", {"Retry-After": "10"})
    try:
        with reading(here.engine) as connection:
            return preview_out(preview(connection, body.rule.model_dump(), body.days, at))
    finally:
        _PREVIEWS.release()


@router.get("/alert-rules/{rule_id}")
def alert_rule(rule_id: int, here: HouseDep) -> RuleOut:
    return _one(here, rule_id)


@router.put("/alert-rules/{rule_id}", dependencies=[AdminOnly], responses=refuses(409))
def change_alert_rule(rule_id: int, body: RuleBody, here: HouseDep, at: NowDep) -> RuleOut:
    """Another rule in its place. What it had found ends, unless only its name, severity, labels or runbook change."""
    use.change(here.engine, rule_id, body.model_dump(), at)
    return _one(here, rule_id)


@router.patch("/alert-rules/{rule_id}", dependencies=[AdminOnly])
def switch_alert_rule(rule_id: int, body: RuleChange, here: HouseDep, at: NowDep) -> RuleOut:
    use.switch(here.engine, rule_id, enabled=body.enabled, now=at)
    return _one(here, rule_id)


@router.delete("/alert-rules/{rule_id}", dependencies=[AdminOnly], status_code=204)
def remove_alert_rule(rule_id: int, here: HouseDep) -> None:
    use.remove(here.engine, rule_id)


def _one(here: HouseDep, rule_id: int) -> RuleOut:
    with reading(here.engine) as connection:
        return rule_out(stored.rule_row(connection, rule_id), stored.open_counts(connection))
