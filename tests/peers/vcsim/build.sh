#!/bin/sh
# Builds the simulated vCenter into the repository's cache, once per version of its sources, and prints the binary's path.
# Without optimization and debug information, since compiling takes longer than all that it is used for.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cache=${GAVEL_TEST_CACHE:-$here/../../../.cache}/vcsim
key=$(cat "$here/main.go" "$here/go.mod" "$here/go.sum" | sha256sum | cut -c1-16)
binary=$cache/vcsim-$key
if [ ! -x "$binary" ]; then
    mkdir -p "$cache"
    built=$(mktemp "$cache/building.XXXXXX")
    (cd "$here" && nice "${GO:-go}" build -trimpath -gcflags="all=-N -l -dwarf=false" -ldflags="-s -w" -o "$built" .) >&2
    mv "$built" "$binary"
fi
printf '%s\n' "$binary"
