#!/bin/sh
# Records an esxtop capture on an ESXi host, for Gavel: bounded in time and size, read-only, one file.
#
#   sh gavel-esxtop.sh [MINUTES] [STEP] [FOLDER]      default: 5 minutes, every 5 s, the first VMFS volume with room
#
# It changes nothing on the host. esxtop runs with all fields (-a), which split latency into reads and writes; where the folder has less
# than 1 GiB of room, or the capture grows beyond 2 GiB, it stops. The file is packed with gzip.
set -u

MINUTES=${1:-5}
STEP=${2:-5}
FOLDER=${3:-}
MOST_MINUTES=240
MOST_KIB=2097152
ROOM_KIB=1048576

fail() {
    echo "gavel-esxtop: $1" >&2
    exit 1
}

is_number() {
    case $1 in
    '' | *[!0-9]*) return 1 ;;
    esac
}

is_number "$MINUTES" && [ "$MINUTES" -ge 1 ] && [ "$MINUTES" -le $MOST_MINUTES ] || fail "MINUTES is 1 to $MOST_MINUTES."
is_number "$STEP" && [ "$STEP" -ge 2 ] && [ "$STEP" -le 60 ] || fail "STEP is 2 to 60 seconds."
command -v esxtop >/dev/null 2>&1 || fail "there is no esxtop: run this in the shell of an ESXi host (SSH, as root)."

room_kib() {
    df -k "$1" 2>/dev/null | awk 'NR > 1 { kib = $(NF - 2) } END { print kib + 0 }'
}

if [ -z "$FOLDER" ]; then
    for volume in /vmfs/volumes/*; do
        # The boot volumes are small, and links would be counted twice.
        [ -d "$volume" ] && [ ! -L "$volume" ] && [ "$(room_kib "$volume")" -gt $ROOM_KIB ] && FOLDER=$volume && break
    done
    [ -n "$FOLDER" ] || fail "no VMFS volume has 1 GiB of room. Name a folder: sh gavel-esxtop.sh $MINUTES $STEP /vmfs/volumes/NAME"
fi
[ -d "$FOLDER" ] && [ -w "$FOLDER" ] || fail "$FOLDER is no folder that can be written to."
[ "$(room_kib "$FOLDER")" -gt $ROOM_KIB ] || fail "$FOLDER has less than 1 GiB of room."

# One row more than intervals: the first has no rates.
ROWS=$((MINUTES * 60 / STEP + 1))
FILE=$FOLDER/gavel-esxtop-$(hostname | tr -c 'A-Za-z0-9.\n-' '_')-$(date -u +%Y%m%dT%H%M%SZ).csv
echo "Recording $ROWS rows, every $STEP s, for $MINUTES minutes, to $FILE"

esxtop -b -a -d "$STEP" -n "$ROWS" >"$FILE" 2>"$FILE.err" </dev/null &
PID=$!
trap 'kill $PID 2>/dev/null; rm -f "$FILE.err"; echo "Stopped. Rows so far are in $FILE" >&2; exit 130' INT TERM HUP

# A busy host takes longer than the rows say; beyond twice that, esxtop hangs.
LIMIT=$((MINUTES * 120 + 120))
PASSED=0
while kill -0 $PID 2>/dev/null; do
    sleep 5
    PASSED=$((PASSED + 5))
    KIB=$(du -k "$FILE" 2>/dev/null | awk '{ print $1 + 0 }')
    if [ "${KIB:-0}" -gt $MOST_KIB ] || [ "$(room_kib "$FOLDER")" -lt $((ROOM_KIB / 2)) ] || [ $PASSED -gt $LIMIT ]; then
        kill $PID 2>/dev/null
        echo "gavel-esxtop: stopped after $PASSED s at $KIB KiB: too large, no room, or too slow. Rows so far are kept." >&2
        break
    fi
done
wait $PID 2>/dev/null
[ -s "$FILE" ] || fail "esxtop wrote nothing: $(head -c 300 "$FILE.err" 2>/dev/null)"
rm -f "$FILE.err"
gzip -f "$FILE" && FILE=$FILE.gz
echo "Done: $FILE ($(du -k "$FILE" | awk '{ print $1 }') KiB). Copy it, then delete it here: rm '$FILE'"
echo "Import: gavel import esxtop FILE, or drop it on the page Sources. To share it: gavel esxtop anonymize FILE"
