#!/bin/sh
# Sends the disk counters of this Linux guest to Gavel: one push, then it ends. Needs curl or GNU wget.
#
#   sh gavel-guest.sh           push once
#   sh gavel-guest.sh print     print the lines, push nothing
#   sh gavel-guest.sh units     print the systemd service and timer
#   sh gavel-guest.sh install   as root: copy this file to /usr/local/sbin and push every 20 s by systemd
#
# Codes: 0 pushed, 1 something is absent here, 2 Gavel refused it, 3 Gavel cannot be reached.
# This file holds the token: nobody but its owner should read it. GAVEL_CA names a PEM file where TLS is of a CA of your own.

set -u
umask 077
LC_ALL=C
export LC_ALL

url='@ADDRESS@'
token='@TOKEN@'
ca=${GAVEL_CA:-}
self=/usr/local/sbin/gavel-guest

fail() { # code, message
    printf 'gavel-guest: %s\n' "$2" >&2
    exit "$1"
}

# The first line of a file, of printable characters and without spaces at its ends; nothing where it cannot be read.
first_of() {
    [ -r "$1" ] || return 0
    tr -d '\000' 2>/dev/null <"$1" | head -n 1 | tr -cd '[:print:]' | sed 's/^ *//; s/ *$//'
}

# ",name=value" as the line protocol has it; nothing where the value is empty.
tag() {
    value=$(printf '%s' "$2" | sed 's/\\*$//; s/[ ,=]/\\&/g')
    [ -z "$value" ] || printf ',%s=%s' "$1" "$value"
}

now_ns() {
    at=$(date +%s%N)
    case $at in
    *[!0-9]* | '') at=$(date +%s)000000000 ;;
    esac
    # Without %N some print the seconds alone.
    [ "${#at}" -ge 19 ] || at=${at}000000000
    printf '%s' "$at"
}

addresses() {
    if command -v ip >/dev/null 2>&1; then
        ip -o addr show scope global 2>/dev/null | awk '{ sub("/.*", "", $4); print $4 }' | head -n 8 | tr '\n' ' '
    else
        hostname -I 2>/dev/null
    fi
}

# Names of the virtual disks as VMware Tools have them: scsi0:0 scsi0:1 ...
tools_names() {
    command -v vmware-toolbox-cmd >/dev/null 2>&1 || return 0
    limit=
    if command -v timeout >/dev/null 2>&1; then limit='timeout 5'; fi
    $limit vmware-toolbox-cmd stat raw 2>/dev/null | sed -n 's/.*vscsi *\(scsi[0-9]*:[0-9]*\).*/\1/p' | sort -u
}

# The name of the disk at a SCSI address, where all virtual disks are at one controller: then the target is the unit.
vdisk_at() {
    [ "$(printf '%s\n' "$tools" | sed 's/:.*//' | sort -u | wc -l)" -eq 1 ] || return 0
    unit=$(printf '%s' "$1" | cut -d : -f 3)
    printf '%s\n' "$tools" | grep -x "[a-z]*[0-9]*:$unit"
}

serial_of() { # disk
    for file in "device/wwid" "wwid" "serial" "device/serial"; do
        found=$(first_of "/sys/block/$1/$file")
        [ -z "$found" ] || break
    done
    printf '%s' "$found"
}

scsi_of() { # disk
    readlink -f "/sys/block/$1/device" 2>/dev/null | sed -n 's|.*/\([0-9]*:[0-9]*:[0-9]*:[0-9]*\)$|\1|p'
}

# Whole disks; partitions, mapped, loop and optical devices count I/Os twice or are none.
is_disk() {
    case $1 in
    sd* | vd* | xvd* | hd*) case $1 in *[0-9]*) return 1 ;; esac ;;
    nvme*n*) case $1 in *p[0-9]* | *c[0-9]*) return 1 ;; esac ;;
    *) return 1 ;;
    esac
}

lines() {
    tools=$(tools_names)
    guest=$(
        tag host "$(uname -n)"
        tag bios_uuid "$(first_of /sys/class/dmi/id/product_uuid)"
        tag boot_id "$(first_of /proc/sys/kernel/random/boot_id)"
        tag kernel "$(uname -r)"
        tag ip "$(addresses | sed 's/ *$//')"
    )
    # All counters are read at one moment.
    counters=$(cat /proc/diskstats)
    at=$(now_ns)
    printf '%s\n' "$counters" | while read -r _ _ disk reads _ read_sectors read_ms writes _ write_sectors write_ms _ _ queue_ms _; do
        is_disk "$disk" || continue
        address=$(scsi_of "$disk")
        printf 'gavel_disk%s' "$guest"
        tag name "$disk"
        tag wwid "$(serial_of "$disk")"
        tag scsi "$address"
        [ -z "$address" ] || tag vdisk "$(vdisk_at "$address")"
        printf ' reads=%si,writes=%si' "$reads" "$writes"
        # A sector is 512 bytes, whatever the disk calls one.
        printf ',read_bytes=%si,write_bytes=%si' "$((read_sectors * 512))" "$((write_sectors * 512))"
        printf ',read_time_ms=%si,write_time_ms=%si,queue_time_ms=%si' "$read_ms" "$write_ms" "$queue_ms"
        size=$(first_of "/sys/block/$disk/size")
        [ -z "$size" ] || printf ',capacity_bytes=%si' "$((size * 512))"
        printf ' %s\n' "$at"
    done
}

# The status of the answer, 000 where there is none; the token is on no command line.
send() {
    if command -v curl >/dev/null 2>&1; then
        printf 'header = "Authorization: Token %s"\n' "$token" |
            curl --config - --silent --show-error --connect-timeout 5 --max-time 15 ${ca:+--cacert "$ca"} \
                --header 'Content-Type: text/plain; charset=utf-8' --header 'Expect:' --data-binary "@$dir/lines" \
                --output "$dir/answer" --write-out '%{http_code}' "$url/api/v2/write" 2>"$dir/error"
    elif wget --version 2>/dev/null | grep -q 'GNU Wget'; then
        printf 'header = Authorization: Token %s\n' "$token" >"$dir/wgetrc"
        WGETRC=$dir/wgetrc wget --server-response --content-on-error --tries 1 --timeout 15 ${ca:+--ca-certificate "$ca"} \
            --header 'Content-Type: text/plain; charset=utf-8' --post-file "$dir/lines" \
            --output-document "$dir/answer" "$url/api/v2/write" 2>"$dir/error"
        status=$(sed -n 's|^ *HTTP/[0-9.]* *\([0-9][0-9][0-9]\).*|\1|p' "$dir/error" | tail -n 1)
        printf '%s' "${status:-000}"
    else
        fail 1 'neither curl nor GNU wget is installed'
    fi
}

push() {
    dir=$(mktemp -d) || fail 1 'no directory for temporary files'
    trap 'rm -rf "$dir"' EXIT
    trap 'exit 1' HUP INT TERM
    lines >"$dir/lines"
    [ -s "$dir/lines" ] || fail 1 'no disk in /proc/diskstats'
    status=$(send)
    case $status in
    204 | 200) ;;
    '') exit 1 ;;
    000) fail 3 "$url cannot be reached: $(tail -n 1 "$dir/error" | tr -cd '[:print:]')" ;;
    401) fail 2 "$url refused it with 401: The token is unknown or revoked. Make one in Gavel under Sources." ;;
    *) fail 2 "$url refused it with $status: $(head -c 500 "$dir/answer" 2>/dev/null | tr -cd '[:print:]')" ;;
    esac
}

service() {
    cat <<UNIT
[Unit]
Description=Disk counters for Gavel
Wants=network-online.target
After=network-online.target

[Service]
Type=oneshot
ExecStart=$self
TimeoutStartSec=30
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
UNIT
}

timer() {
    cat <<UNIT
[Unit]
Description=Disk counters for Gavel every 20 s

[Timer]
OnBootSec=20
OnUnitActiveSec=20
AccuracySec=1

[Install]
WantedBy=timers.target
UNIT
}

install_units() {
    [ "$(id -u)" -eq 0 ] || fail 1 'install has to be run by root'
    command -v systemctl >/dev/null 2>&1 || fail 1 'no systemd here: run this file every 20 to 60 s by another scheduler'
    [ -f "$0" ] || fail 1 'install needs this script as a file'
    if [ "$(readlink -f "$0")" != "$self" ]; then cp "$0" "$self" || fail 1 "$self cannot be written"; fi
    chmod 0700 "$self"
    service >/etc/systemd/system/gavel-guest.service || fail 1 'the service cannot be written'
    timer >/etc/systemd/system/gavel-guest.timer || fail 1 'the timer cannot be written'
    systemctl daemon-reload && systemctl enable --now gavel-guest.timer
}

case ${1:-push} in
push) push ;;
print) lines ;;
units)
    printf '# /etc/systemd/system/gavel-guest.service\n'
    service
    printf '\n# /etc/systemd/system/gavel-guest.timer\n'
    timer
    ;;
install) install_units ;;
*) fail 1 "no such action: $1 (push, print, units or install)" ;;
esac
