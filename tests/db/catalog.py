"""The catalog of a schema as text: one line per object, with an order and names that do not depend on how it was made.

Excluded: partitions, which a job makes for the hours around the present, and PostgreSQL 18's names for NOT NULL. A column keeps the
name of its NOT NULL when it is renamed, so a store from before the baseline has six with former names. No migration may use them.

`catalogs/` holds the catalogs that the 54 migrations before the baseline made, as commit f9783051 had them.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from sqlalchemy import Connection, text

from gavel.db.series.catalog import Mode

_RECORDED = Path(__file__).with_name("catalogs")
# Gavel's objects belong to no extension.
_OURS = """
    n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = '{catalog}'::regclass AND d.objid = {oid} AND d.deptype = 'e')
"""
_RELATIONS = f"""
    SELECT c.oid::bigint, n.nspname, c.relname,
        CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'partitioned table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
            WHEN 'S' THEN 'sequence' ELSE c.relkind::text END AS kind,
        concat_ws('; ',
            CASE c.relpersistence WHEN 'u' THEN 'unlogged' END,
            'by ' || pg_get_partkeydef(c.oid), 'with ' || array_to_string(c.reloptions, ', '),
            'toast with ' || array_to_string(t.reloptions, ', '),
            CASE WHEN c.relkind IN ('r', 'p', 'm') AND c.relreplident <> 'd' THEN 'replica identity ' || c.relreplident::text END,
            CASE WHEN c.relrowsecurity THEN 'row security' END, 'owner ' || NULLIF(c.relowner, r.oid)::regrole::text, c.relacl::text,
            'says ' || quote_literal(obj_description(c.oid, 'pg_class')),
            CASE WHEN c.relkind IN ('v', 'm') THEN 'as ' || regexp_replace(pg_get_viewdef(c.oid), '\\s+', ' ', 'g') END) AS facts
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_class t ON t.oid = c.reltoastrelid
        JOIN pg_roles r ON r.rolname = current_user
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND NOT c.relispartition AND {_OURS.format(catalog="pg_class", oid="c.oid")}
"""
# A sequence of an identity column stands at the column.
_COLUMNS = """
    SELECT a.attrelid::bigint,
        concat_ws(' ', quote_ident(a.attname), format_type(a.atttypid, a.atttypmod),
            CASE WHEN a.attcollation <> t.typcollation THEN 'collate ' || a.attcollation::regcollation::text END,
            CASE WHEN a.attnotnull THEN 'not null' END,
            CASE a.attidentity WHEN 'a' THEN 'identity' WHEN 'd' THEN 'identity by default' END,
            CASE a.attgenerated WHEN '' THEN 'default ' ELSE 'generated ' || a.attgenerated::text || ' ' END
                || pg_get_expr(d.adbin, d.adrelid),
            (SELECT concat_ws(' ', 'from', s.seqstart, 'by', s.seqincrement, 'in', s.seqmin, s.seqmax, 'cache', s.seqcache,
                    CASE WHEN s.seqcycle THEN 'cycle' END)
                FROM pg_sequence s WHERE (s.seqstart, s.seqincrement, s.seqmin, s.seqcache, s.seqcycle) <> (1, 1, 1, 1, false)
                    AND s.seqrelid = to_regclass(pg_get_serial_sequence(a.attrelid::regclass::text, a.attname))),
            CASE WHEN a.attstorage <> t.typstorage THEN 'storage ' || a.attstorage::text END,
            CASE WHEN a.attcompression <> '' THEN 'compression ' || a.attcompression::text END,
            CASE WHEN coalesce(a.attstattarget, -1) <> -1 THEN 'statistics ' || a.attstattarget END,
            'with ' || array_to_string(a.attoptions, ', '), a.attacl::text,
            'says ' || quote_literal(col_description(a.attrelid, a.attnum))) AS facts
    FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
        LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.oid = ANY(:oids) ORDER BY a.attrelid, a.attnum
"""
_CONSTRAINTS = """
    SELECT conrelid::bigint, concat_ws(' ', 'constraint', conname, pg_get_constraintdef(oid),
        CASE WHEN NOT convalidated THEN 'not valid' END, 'says ' || quote_literal(obj_description(oid, 'pg_constraint')))
    FROM pg_constraint WHERE conrelid = ANY(:oids) AND contype <> 'n'
"""
_INDEXES = """
    SELECT i.indrelid::bigint, concat_ws(' ', pg_get_indexdef(i.indexrelid), CASE WHEN i.indisclustered THEN 'clustered' END,
        CASE WHEN i.indisreplident THEN 'replica identity' END, CASE WHEN NOT i.indisvalid THEN 'not valid' END,
        (SELECT 'statistics ' || string_agg(attnum || ': ' || attstattarget, ', ') FROM pg_attribute
            WHERE attrelid = i.indexrelid AND coalesce(attstattarget, -1) <> -1),
        'says ' || quote_literal(obj_description(i.indexrelid, 'pg_class')))
    FROM pg_index i WHERE i.indrelid = ANY(:oids) AND NOT EXISTS (
        SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.conrelid = i.indrelid AND i.indisvalid
            AND NOT i.indisclustered AND NOT i.indisreplident)
"""
_TRIGGERS = """
    SELECT tgrelid::bigint, concat_ws(' ', pg_get_triggerdef(oid), CASE WHEN tgenabled <> 'O' THEN 'enabled ' || tgenabled::text END)
    FROM pg_trigger WHERE tgrelid = ANY(:oids) AND NOT tgisinternal AND tgname <> 'ts_insert_blocker'
"""
_RULES = (
    "SELECT ev_class::bigint, pg_get_ruledef(oid) FROM pg_rewrite WHERE ev_class = ANY(:oids) AND rulename <> '_RETURN'"
)
_POLICIES = """
    SELECT polrelid::bigint, concat_ws(' ', 'policy', polname, polcmd, polpermissive, polroles::regrole[], pg_get_expr(polqual, polrelid),
        pg_get_expr(polwithcheck, polrelid)) FROM pg_policy WHERE polrelid = ANY(:oids)
"""
_STATISTICS = """
    SELECT stxrelid::bigint, concat_ws(' ', pg_get_statisticsobjdef(oid), 'target ' || NULLIF(coalesce(stxstattarget, -1), -1))
    FROM pg_statistic_ext WHERE stxrelid = ANY(:oids)
"""
_OF_RELATIONS = (_CONSTRAINTS, _INDEXES, _TRIGGERS, _RULES, _POLICIES, _STATISTICS)
_OTHERS = (
    f"""
    SELECT concat_ws(' ', 'function', p.oid::regprocedure, p.proacl::text, regexp_replace(pg_get_functiondef(p.oid), '\\s+', ' ', 'g'),
        'says ' || quote_literal(obj_description(p.oid, 'pg_proc')))
    FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE p.prokind <> 'a' AND {_OURS.format(catalog="pg_proc", oid="p.oid")}
    """,
    f"""
    SELECT concat_ws(' ', 'type', t.typtype, n.nspname, t.typname, t.typdefault, format_type(t.typbasetype, t.typtypmod),
        (SELECT string_agg(enumlabel, ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    WHERE t.typtype IN ('d', 'e', 'r') AND {_OURS.format(catalog="pg_type", oid="t.oid")}
    """,
    f"""
    SELECT concat_ws(' ', 'sequence', c.oid::regclass) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'S' AND {_OURS.format(catalog="pg_class", oid="c.oid")} AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i')
    """,
    f"""
    SELECT concat_ws(' ', 'schema', n.nspname, n.nspacl::text) FROM pg_namespace n
    WHERE {_OURS.format(catalog="pg_namespace", oid="n.oid")}
    """,
    """
    SELECT concat_ws(' ', 'event trigger', evtname, evtevent) FROM pg_event_trigger t
    WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_event_trigger'::regclass AND d.objid = t.oid AND d.deptype = 'e')
    """,
    "SELECT concat_ws(' ', 'default privileges', defaclacl::text) FROM pg_default_acl",
    """
    SELECT concat_ws(' ', 'setting', setconfig::text) FROM pg_db_role_setting
    WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
    """,
)
# On TimescaleDB. Numbers of hypertables and jobs are replaced by names: they tell in which order things were made.
_NUMBERED = """
    SELECT h.id, coalesce(v.user_view_name::text, h.table_name::text) FROM _timescaledb_catalog.hypertable h
    LEFT JOIN _timescaledb_catalog.continuous_agg v ON v.mat_hypertable_id = h.id
"""
_COMPRESSED = "SELECT compressed_hypertable_id, id FROM _timescaledb_catalog.hypertable WHERE compressed_hypertable_id IS NOT NULL"
_TIMESCALE = (
    """
    SELECT concat_ws(' ', 'hypertable', to_jsonb(h) - 'id' - 'compressed_hypertable_id' - 'associated_table_prefix',
        (SELECT jsonb_agg(to_jsonb(d) - 'id' - 'hypertable_id' ORDER BY d.id)
            FROM _timescaledb_catalog.dimension d WHERE d.hypertable_id = h.id))
    FROM _timescaledb_catalog.hypertable h WHERE h.compression_state <> 2
    """,
    "SELECT concat_ws(' ', 'columnstore', to_jsonb(s)) FROM _timescaledb_catalog.compression_settings s",
    """
    SELECT concat_ws(' ', 'continuous aggregate', to_jsonb(v) - 'mat_hypertable_id' - 'raw_hypertable_id' - 'parent_mat_hypertable_id',
        (SELECT table_name FROM _timescaledb_catalog.hypertable WHERE id = v.raw_hypertable_id),
        (SELECT jsonb_agg(to_jsonb(f) - 'mat_hypertable_id') FROM _timescaledb_catalog.continuous_aggs_bucket_function f
            WHERE f.mat_hypertable_id = v.mat_hypertable_id))
    FROM _timescaledb_catalog.continuous_agg v
    """,
    """
    SELECT concat_ws(' ', 'job', to_jsonb(j) - 'job_id' - 'next_start' - 'application_name' - 'config', 'with',
        j.config - 'hypertable_id' - 'mat_hypertable_id') FROM timescaledb_information.jobs j WHERE j.job_id >= 1000
    """,
)
_NUMBER = re.compile(
    r"(_materialized_hypertable|_compressed_hypertable|_partial_view|_direct_view|continuous_agg_invalidation_trigger)(?:_|\('(?=\d))(\d+)"
)
_SHORT = {
    "timestamp with time zone": "timestamptz",
    "double precision": "float8",
    "_timescaledb_internal.": "internal.",
}
_TABLES_WITH_ROWS = """
    SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname = 'public'
"""


def catalog(connection: Connection) -> Sequence[str]:
    """Every object of the schema with all its properties and the rows that migrations put in, a line each."""
    lines = [*_relations(connection), *_all(connection, _OTHERS), *_rows(connection)]
    if connection.scalar(text("SELECT to_regclass('_timescaledb_catalog.hypertable')")) is not None:
        lines += _all(connection, _TIMESCALE)
        lines = list(_without_numbers(connection, lines))
    return sorted(map(_short, lines))


def _short(line: str) -> str:
    for long, short in _SHORT.items():
        line = line.replace(long, short)
    return line


def _relations(connection: Connection) -> Iterator[str]:
    found = connection.execute(text(_RELATIONS)).all()
    oids = [row.oid for row in found]
    columns, others = (_by_relation(connection, queries, oids) for queries in ([_COLUMNS], _OF_RELATIONS))
    for oid, schema, name, kind, facts in found:
        title = f"{kind} {name if schema == 'public' else f'{schema}.{name}'}"
        # What TimescaleDB makes beside an aggregate has its columns.
        of_server = kind == "view" and schema != "public"
        made = "" if of_server else f" ({'; '.join(columns.get(oid, ()))})"
        yield f"{title}{made}{f' {facts}' if facts else ''}"
        yield from (f"{title}: {fact}" for fact in others.get(oid, ()))


def _by_relation(connection: Connection, queries: Iterable[str], oids: Sequence[int]) -> Mapping[int, Sequence[str]]:
    facts: dict[int, list[str]] = {}
    for query in queries:
        for oid, fact in connection.execute(text(query), {"oids": oids}):
            facts.setdefault(oid, []).append(fact)
    return facts


def _all(connection: Connection, queries: Iterable[str]) -> list[str]:
    return [line for query in queries for line in connection.scalars(text(query))]


def _rows(connection: Connection) -> Iterator[str]:
    """Of stamps it is only said that there is one."""
    for table in connection.scalars(text(_TABLES_WITH_ROWS)).all():
        for (row,) in connection.execute(text(f"SELECT to_jsonb(t) FROM {table} t")):
            told = {key: "a time" if key.endswith("_at") and value else value for key, value in row.items()}
            yield f"row of {table}: {json.dumps(told, sort_keys=True)}"


def _without_numbers(connection: Connection, lines: Iterable[str]) -> Iterator[str]:
    names = {str(number): str(name) for number, name in connection.execute(text(_NUMBERED))}
    of_packed = {str(packed): names[str(whole)] for packed, whole in connection.execute(text(_COMPRESSED))}
    named = [
        _NUMBER.sub(lambda match: f"{match[1]}_of_{of_packed.get(match[2]) or names[match[2]]}", line) for line in lines
    ]
    there = set(named)
    for line in named:
        direct = line.replace("._partial_view_of_", "._direct_view_of_", 1)
        is_same = direct != line and direct in there
        yield f"{line.partition(' as ')[0]} as the direct view" if is_same else line


def expected(mode: Mode) -> Sequence[str]:
    """The catalog as it was recorded: most lines are those of both modes."""
    return sorted(line for name in ("both", mode) for line in (_RECORDED / f"{name}.txt").read_text().splitlines())
