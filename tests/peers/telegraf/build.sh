#!/bin/sh
# Builds Telegraf with nothing but the plug-ins that tests use into the repository's cache, once per version, and prints the
# binary's path. Takes two to three minutes on two cores.
set -eu
version=v1.39.3
here=$(cd "$(dirname "$0")" && pwd)
cache=${GAVEL_TEST_CACHE:-$here/../../../.cache}/telegraf
binary=$cache/telegraf-$version-3 # the number counts sets of plug-ins
if [ ! -x "$binary" ]; then
    mkdir -p "$cache"
    built=$(mktemp -d "$cache/building.XXXXXX")
    GOBIN=$built nice "${GO:-go}" install -trimpath -ldflags '-s -w' \
        -tags custom,inputs.diskio,inputs.vsphere,outputs.file,outputs.influxdb,outputs.influxdb_v2,serializers.influx \
        "github.com/influxdata/telegraf/cmd/telegraf@$version" >&2
    mv "$built/telegraf" "$binary"
    rmdir "$built"
fi
printf '%s\n' "$binary"
