#!/bin/sh
# Builds govc into the repository's cache, once per version of its sources, and prints the binary's path.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${GAVEL_TEST_CACHE:-$here/../../../.cache}/govc
key=$(cat "$here/main.go" "$here/go.mod" "$here/go.sum" | sha256sum | cut -c1-16)
binary=$cache/govc-$key
if [ ! -x "$binary" ]; then
    mkdir -p "$cache"
    built=$(mktemp "$cache/building.XXXXXX")
    (cd "$here" && nice "${GO:-go}" build -trimpath -o "$built" .) >&2
    mv "$built" "$binary"
fi
printf '%s\n' "$binary"
