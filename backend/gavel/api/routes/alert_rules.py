"""Rules of alerts: list, add, change, try on the past, import and export."""

from threading import BoundedSemaphore

from fastapi import APIRouter, HTTPException, Response

from gavel.alerting.use import rules as use
from gavel.alerting.use.preview import Preview, preview
from gavel.alerting.use.rules import RulesImported
from gavel.api.convert_alerts import rule_out
from gavel.api.deps import AdminOnly, AnnouncesAlerts, AppDep, NowDep, ReaderOnly
from gavel.api.inputs import Id
from gavel.api.problems import refuses
from gavel.api.schemas.alerts import PreviewIn, QuantityAnswer, RuleBody, RuleChange, RuleOut, RulesFile
from gavel.api.schemas.answer import Answer
from gavel.db.engine import reading
from gavel.db.queries import alert_rules as stored

router = APIRouter(tags=["alert rules"], dependencies=[ReaderOnly])

# A preview reads up to a week of the ledger: few at a time.
_PREVIEWS = BoundedSemaphore(2)
YAML = "application/yaml"


@router.get("/alert-quantities")
def alert_quantities() -> list[QuantityAnswer]:
    """What a rule's condition may compare."""
    return list(use.quantities())


@router.get("/alert-rules")
def alert_rules(app: AppDep) -> list[RuleOut]:
    with reading(app.engine) as connection:
        counts = stored.open_counts(connection)
        return [rule_out(row, counts) for row in stored.rule_rows(connection)]


@router.post("/alert-rules", dependencies=[AdminOnly, AnnouncesAlerts], status_code=201, responses=refuses(409))
def add_alert_rule(body: RuleBody, app: AppDep, at: NowDep) -> RuleOut:
    return _load_rule(app, use.add(app.engine, body.model_dump(), at))


@router.get("/alert-rules/export", response_class=Response, responses={200: {"content": {YAML: {}}}})
def export_alert_rules(app: AppDep) -> Response:
    """All rules as YAML; importing it changes nothing."""
    with reading(app.engine) as connection:
        text = use.export(stored.rule_rows(connection))
    named = {"Content-Disposition": 'attachment; filename="gavel-rules.yaml"'}
    return Response(text, media_type=YAML, headers=named)


@router.post("/alert-rules/import", dependencies=[AdminOnly, AnnouncesAlerts])
def import_alert_rules(body: RulesFile, app: AppDep, at: NowDep) -> Answer[RulesImported]:
    """Imports the rules of a file, by their keys, all or none."""
    return use.take_file(app.engine, body.yaml, at, replace=body.replace, dry_run=body.dry_run)


@router.post("/alert-rules/preview", dependencies=[AdminOnly], responses=refuses(429))
def preview_alert_rule(body: PreviewIn, app: AppDep, at: NowDep) -> Answer[Preview]:
    """When a rule would have fired over the last days, from minutes, or for many objects from 5-minute rows."""
    if not _PREVIEWS.acquire(blocking=False):
        raise HTTPException(429, "Other previews are being made. Try again in some seconds.", {"Retry-After": "10"})
    try:
        with reading(app.engine) as connection:
            return preview(connection, body.rule.model_dump(), body.days, at)
    finally:
        _PREVIEWS.release()


@router.get("/alert-rules/{rule_id}")
def alert_rule(rule_id: Id, app: AppDep) -> RuleOut:
    return _load_rule(app, rule_id)


@router.put("/alert-rules/{rule_id}", dependencies=[AdminOnly, AnnouncesAlerts], responses=refuses(409))
def change_alert_rule(rule_id: Id, body: RuleBody, app: AppDep, at: NowDep) -> RuleOut:
    """Replaces a rule. Its alerts end, unless only name, severity, labels or runbook change."""
    use.change(app.engine, rule_id, body.model_dump(), at)
    return _load_rule(app, rule_id)


@router.patch("/alert-rules/{rule_id}", dependencies=[AdminOnly, AnnouncesAlerts])
def switch_alert_rule(rule_id: Id, body: RuleChange, app: AppDep, at: NowDep) -> RuleOut:
    use.switch(app.engine, rule_id, enabled=body.enabled, now=at)
    return _load_rule(app, rule_id)


@router.delete("/alert-rules/{rule_id}", dependencies=[AdminOnly, AnnouncesAlerts], status_code=204)
def remove_alert_rule(rule_id: Id, app: AppDep) -> None:
    use.remove(app.engine, rule_id)


def _load_rule(app: AppDep, rule_id: int) -> RuleOut:
    with reading(app.engine) as connection:
        return rule_out(stored.rule_row(connection, rule_id), stored.open_counts(connection))
