# An emulated arm64 machine and its three wires: the console (`guest`), QEMU's monitor (`monitor`), and the levels at its pins
# (`pins`), which QEMU's protocol for tests gives (qtest). Source it after lib.sh, with $work a directory of one's own.
# shellcheck shell=bash
# shellcheck disable=SC2154  # $work is the caller's

source "$(dirname "${BASH_SOURCE[0]}")/../guest/wires.sh"

# boot OPTION...: starts QEMU with these, and waits until the guest is up.
boot() {
    rm -f "$work"/{console,monitor,pins}{,.to,.from}
    timeout --kill-after=5 "$LIMIT_S" qemu-system-aarch64 -accel tcg -nodefaults -no-user-config -display none -no-reboot "$@" \
        -chardev "socket,id=console,path=$work/console,server=on,wait=on" \
        -qmp "unix:$work/monitor,server=on,wait=off" -qtest "unix:$work/pins,server=on,wait=off" -qtest-log none \
        >"$work/qemu" 2>&1 </dev/null &
    STARTED+=($!)
    connect console
    connect monitor
    connect pins
    hear monitor 30
    monitor qmp_capabilities
    # A serial line's first byte may be noise.
    until [[ "${HEARD:-}" == *"@@ up" ]]; do hear console 120; done
}

# guest COMMAND: runs a line of shell in the guest; its output is SAID, its exit code that of the function.
guest() {
    printf '%s\n' "$1" >&"${TO[console]}"
    SAID=
    while hear console 120; do
        case $HEARD in
            "@@ "*) return "${HEARD#@@ }" ;;
            *) SAID+=$HEARD$'\n' ;;
        esac
    done
}

# until_guest WHAT COMMAND: waits until the command succeeds; WHAT it shows.
until_guest() {
    local tries
    for ((tries = 0; tries < 120; tries++)); do
        if guest "$2"; then echo "ok: $1"; return 0; fi
        sleep 0.25
    done
    printf 'last answer:\n%s' "$SAID"
    guest 'tail -n 20 /run/log'
    die "not seen: $1"$'\n'"$SAID"
}

# pins COMMAND...: a command of qtest; its answer is HEARD.
pins() {
    printf '%s\n' "$*" >&"${TO[pins]}"
    while hear pins 30; do
        case $HEARD in
            OK*) return 0 ;;
            FAIL* | ERR*) die "QEMU refuses $*: $HEARD" ;;
        esac
    done
}

# register ADDRESS: its 32 bits, in VALUE.
register() {
    pins readl "$1"
    VALUE=$((${HEARD#OK }))
}

# until_register WHAT ADDRESS MASK VALUE: waits until these bits of a register are so.
until_register() {
    local tries
    for ((tries = 0; tries < 200; tries++)); do
        register "$2"
        if (((VALUE & $3) == $4)); then echo "ok: $1"; return 0; fi
        sleep 0.05
    done
    die "not seen: $1: $(printf '%#x of %#x at %#x' $((VALUE & $3)) "$3" "$2")"
}
