#!/bin/sh
# The one door to this repository: every make target calls it, and it works without make too.
# Needs Python >= 3.11 and nothing else; scripts/bootstrap.py brings the rest by hash-pinned locks.
set -eu
cd "$(dirname "$0")/.."
# A product is a dozen processes. Where Python may not keep what it compiled, each of them compiles all of its modules anew, for seconds.
unset PYTHONDONTWRITEBYTECODE

usage() {
    cat <<'HELP'
Gavel: where each millisecond of storage latency goes.

  up       set up, start everything on this machine and print the URL   (PORT=8321 LAB=0 LAB_PORT=8330 DATA_DIR=path)
  test     set up, then every check and test, the browser included
  explore  what test leaves to chance: short campaigns, drawn seeds and orders  (WHAT=truth SEED=1, or: explore truth hostile)
  check    set up, then the checks without the tests: format, lint, types, imports, dependencies, containers
  quick    only what differs from main: its format, lint, types and the tests that import it
  e2e      set up, then only the browser tests
  setup    only create the environment (.tools, .venv, node_modules, frontend/dist)
  lock     write the dependency locks anew from pyproject.toml          (UPGRADE=1 takes newer versions)
  peers    the lab and the collectors against clients and servers nobody here wrote
  truth    the long run of diagnoses against the lab, and I/O by I/O     (LABS=200 SEED=1)
  hostile  answers, requests and files that nobody sends (DOCUMENTS=100000 REQUESTS=100000 FILES=400 SEED=1)
  chaos    the long run of kills and faults, and outages of 55 minutes   (KILLS=60 SEED=1)
  alerts   the long run of kills while alerts are evaluated and sent    (TRANSITIONS=1000 SEED=1 MINUTES=no limit)
  pushes   the long run of kills while guests push, of one and of all   (KILLS=1000 BOTH=50 FOLDER=new WHOLE=50 SEED=1)
  writes   the long run of kills of the process that writes samples      (KILLS=1000 BOTH=50 FOLDER=new SEED=1)
  bench    the measurements of collecting, writing and reading
  load     the whole product under the load of a big lab, and what it costs (ENTITIES=20000 MINUTES=60 DATA_DIR=none)
  shots    screenshots of every page
  vitals   what a reader waits for, measured in the browser
  clean    remove everything that setup created (your data stays)
HELP
}

find_python() {
    for candidate in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11 python; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            command -v "$candidate"
            return 0
        fi
    done
    echo "Gavel needs Python 3.11 or newer and found none (tried: ${PYTHON:-} python3 python3.14 ... python)." >&2
    echo "Install it, or name it: make up PYTHON=/path/to/python3.12" >&2
    return 1
}

# Creates the environment for one purpose; Node.js and Go are taken from .tools/bin where the system has none.
prepare() {
    "$python" scripts/bootstrap.py "$1"
    export PATH="$PWD/.tools/bin:$PATH"
}

command=${1:-help}
[ $# -eq 0 ] || shift
case $command in
    help | -h | --help) usage; exit 0 ;;
    clean) rm -rf .tools .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache \
        frontend/node_modules frontend/codegen/node_modules frontend/dist tests/timescale_bridge/node_modules \
        frontend/codegen/openapi.json frontend/src/api/schema.d.ts
        exit 0 ;;
esac

python=$(find_python)
case $command in
    setup) prepare all ;;
    up)
        prepare up
        if [ -n "${PORT:-}" ]; then export GAVEL_PORT="$PORT"; fi
        if [ -n "${LAB:-}" ]; then export GAVEL_LAB="$LAB"; fi
        if [ -n "${LAB_PORT:-}" ]; then export GAVEL_LAB_PORT="$LAB_PORT"; fi
        if [ -n "${DATA_DIR:-}" ]; then export GAVEL_DATA_DIR="$DATA_DIR"; fi
        exec .venv/bin/gavel up "$@"
        ;;
    lock)
        prepare tools
        exec "$python" scripts/lock.py
        ;;
    peers)
        prepare peers
        exec .venv/bin/python scripts/run_checks.py peers "$@"
        ;;
    explore)
        # The parts are named as words, or in WHAT. Programs of other projects are only brought for their part.
        # shellcheck disable=SC2086
        set -- "$@" ${WHAT:-}
        case " $* " in
            "  " | *" peers "*) prepare peers ;;
        esac
        prepare test
        exec .venv/bin/python scripts/run_checks.py explore "$@"
        ;;
    hostile)
        prepare test
        export DOCUMENTS="${DOCUMENTS:-100000}" REQUESTS="${REQUESTS:-100000}" FILES="${FILES:-400}"
        exec .venv/bin/python scripts/run_checks.py hostile "$@"
        ;;
    load)
        prepare test
        exec .venv/bin/python -m tests.benchmarks.load --entities "${ENTITIES:-20000}" --minutes "${MINUTES:-60}" \
            ${DATA_DIR:+--data-dir "$DATA_DIR"} "$@"
        ;;
    test | check | quick | e2e | truth | chaos | alerts | pushes | writes | bench | shots | vitals)
        prepare test
        exec .venv/bin/python scripts/run_checks.py "$command" "$@"
        ;;
    *)
        echo "scripts/dev.sh: no command '$command'." >&2
        usage >&2
        exit 2
        ;;
esac
