# An emulated machine's wires: a line (`connect`, `hear`), QEMU's monitor (`monitor`), and its end (`halt`). Source it after lib.sh,
# with $work a directory of one's own.
# shellcheck shell=bash
# shellcheck disable=SC2154  # $work is the caller's

# Started and not ended yet.
STARTED=()

# connect NAME: a socket of QEMU's as two pipes; TO[NAME] and FROM[NAME] are what to write to and read from.
declare -A TO FROM
connect() {
    local name=$1 to from tries
    mkfifo "$work/$name.to" "$work/$name.from"
    exec {to}<>"$work/$name.to" {from}<>"$work/$name.from"
    TO[$name]=$to FROM[$name]=$from
    for ((tries = 0; tries < 300; tries++)); do
        [ -S "$work/$name" ] && break
        sleep 0.1
    done
    [ -S "$work/$name" ] || die "QEMU has not opened its socket $name: $(cat "$work/qemu")"
    # A socket is there a moment before anybody listens at it.
    socat "UNIX-CONNECT:$work/$name,retry=100,interval=0.1" - <"$work/$name.to" >"$work/$name.from" &
    STARTED+=($!)
}

# hear NAME SECONDS: the next line from there, in HEARD.
hear() {
    IFS= read -r -t "$2" HEARD <&"${FROM[$1]}" || die "nothing from the $1 within $2 s; QEMU said: $(cat "$work/qemu")"
    HEARD=${HEARD%$'\r'}
}

# halt: ends what was started, and lets go of its wires.
halt() {
    local process name to from
    for name in "${!TO[@]}"; do
        to=${TO[$name]} from=${FROM[$name]}
        exec {to}>&- {from}>&-
        unset "TO[$name]" "FROM[$name]"
    done
    for process in "${STARTED[@]}"; do kill "$process" 2>/dev/null || true; done
    for process in "${STARTED[@]}"; do wait "$process" 2>/dev/null || true; done
    STARTED=()
}

# monitor COMMAND [ARGUMENTS]: a command of QMP with its arguments as JSON; its answer is HEARD.
monitor() {
    printf '{"execute":"%s","arguments":%s}\n' "$1" "${2:-{\}}" >&"${TO[monitor]}"
    while hear monitor 30; do
        case $HEARD in
            *'"error"'*) die "QEMU refuses $1: $HEARD" ;;
            *'"return"'*) return 0 ;;
        esac
    done
}
