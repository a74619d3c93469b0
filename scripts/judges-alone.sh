# The measure "judges alone" of scripts/mutants, which sources this.
# shellcheck shell=bash

# One mutant, by its number and name: what came of it, on a line. Runs in a shell of its own.
judge_one() {
    local number=${1%%$'\t'*} name=${1#*$'\t'} status=0 said
    export TUMBLER_MUTANT=$number
    timeout -s KILL 60 "$HIL" run --bench fixtures/benches/pure.toml >/dev/null 2>&1 || status=$?
    case "$status" in
        0) printf 'passed\t%s\n' "$name"; return ;;
        137) printf 'endless\t%s\n' "$name"; return ;;
    esac
    # Whatever stops all play is soon found at a healthy table; a swarm that gets nowhere is slow.
    for play in "none $(((ROUNDS + 3) / 4))" "swarm $ROUNDS"; do
        # shellcheck disable=SC2086
        set -- $play
        said=$(timeout -s KILL 90 "$HIL" campaign --judges-alone --seed 1 --faults "$1" --rounds "$2" 2>&1) || true
        said=$(grep -m 1 -o 'judge: .*' <<<"$said") || continue
        printf 'judged\t%s\t%s\n' "$name" "$said"
        return
    done
    printf 'missed\t%s\n' "$name"
}

# judges_alone MOST ROUNDS: builds the program with all mutants in it, plays a sample of them, and sums up.
judges_alone() {
    local most=$1 at="$out/switched" all number
    local tree="$at/tree"
    mkdir -p "$at"
    exec 9>"$at/lock"
    flock -n 9 || die "another scripts/mutants works in $at"
    copy_tree "$tree"
    say "one program with all mutants in it"
    export CARGO_PROFILE_RELEASE_OPT_LEVEL=3 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_INCREMENTAL=true
    cargo build --release --locked --quiet -p tumbler-switched --target-dir "$at/tool"
    (cd "$tree" && cargo mutants --list --json --package tumbler-core) >"$at/all.json"
    # The same source gives the same switches; the compiler has looked at them then.
    all="$at/in.$(hash daemon/core hil-tests/switched Cargo.lock)"
    CARGO_TARGET_DIR="$at/build" "$at/tool/release/tumbler-switched" "$tree" daemon/core <"$at/all.json" >"$all" 2>"$at/out.txt" \
        || { tail -20 "$at/out.txt"; die "the mutants could not be written"; }
    tail -1 "$at/out.txt"
    (cd "$tree" && CARGO_TARGET_DIR="$at/build" cargo build --release --locked --quiet -p tumbler-hil)
    export HIL="$at/build/release/tumbler-hil" ROUNDS=$2
    cd "$tree"
    TUMBLER_MUTANT=0 "$HIL" campaign --judges-alone --faults swarm --rounds "$ROUNDS" | tail -1
    TUMBLER_MUTANT=0 "$HIL" run --bench fixtures/benches/pure.toml >/dev/null 2>&1 || die "the scenarios fail without a mutation"
    number=$(wc -l <"$all")
    # In the order of files and lines, so that each file has its share.
    sort -t $'\t' -k 2,2V "$all" | awk -v n="$number" -v k="$most" -v o="$(git -C "$ROOT" rev-list --count HEAD)" \
        'k >= n || int((NR + o) * k / n) != int((NR - 1 + o) * k / n)' >"$at/sample"
    say "$(wc -l <"$at/sample") of $number mutants"
    export -f judge_one
    # shellcheck disable=SC2016
    tr '\n' '\0' <"$at/sample" | nice xargs -0 -P 2 -I{} bash -c 'judge_one "$1"' _ {} >"$at/found"
    judges_sum "$at/found"
}

# judges_sum FILE: what was found, by source file; fails below 85 percent.
judges_sum() {
    local name reason
    say "mutants that scenarios catch and no judge finds"
    while IFS= read -r name; do
        reason=$(cd "$ROOT" && why "$name")
        printf '%s\n' "$name${reason:+ -- $reason}"
    done < <(awk -F '\t' '$1 == "missed" { print $2 }' "$1" | sort -V)
    say "judges alone"
    awk -F '\t' '
        { file = $2; sub(/:.*/, "", file); sub(/^daemon\/core\/src\//, "", file); tried[file]++; all++ }
        $1 == "endless" { endless++ }
        $1 == "judged" || $1 == "missed" { caught[file]++; caughts++ }
        $1 == "judged" { judged[file]++; judgeds++ }
        END {
            for (file in tried) printf "%-32s %4d tried, %4d caught by scenarios, %4d of them by judges alone\n", file, tried[file], caught[file], judged[file] | "sort"
            close("sort")
            printf "%d tried: %d caught by the pure scenarios, %d only by a time limit; by judges alone %d of the %d: ", all, caughts, endless, judgeds, caughts
            if (caughts == 0) { print "nothing is known"; exit 1 }
            printf "%d.%d percent\n", int(judgeds * 100 / caughts), int(judgeds * 1000 / caughts) % 10
            exit judgeds * 100 < caughts * 85
        }' "$1"
}
