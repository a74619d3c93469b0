# Shared by the scripts; source it. Installs what a command needs, and says so.
# shellcheck shell=bash

set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly ROOT
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-auto}"

# Tools that are built from crates.io, outside the target directory so that `cargo clean` keeps them.
readonly TOOLS="${TUMBLERD_TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/tumblerd/tools}"
readonly CARGO_ABOUT_VERSION=0.9.3
readonly CARGO_DEB_VERSION=3.8.0
readonly CARGO_DENY_VERSION=0.20.2
readonly CARGO_MUTANTS_VERSION=27.1.0
# The newest that Rust 1.85 builds.
readonly CARGO_NEXTEST_VERSION=0.9.100

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# has TEXT: whether standard input contains TEXT. Reads to the end: `grep -q` stops at its first match, and under pipefail
# the writer that it cuts off there then fails the whole pipe.
has() { [[ "$(cat)" == *"$1"* ]]; }

# as_root COMMAND...: runs it as root, through sudo where needed.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "'$*' needs root, and there is no sudo here"
    fi
}

# update_apt: apt's lists, once in a run.
update_apt() {
    [ -z "${TUMBLERD_APT_UPDATED:-}" ] || return 0
    as_root apt-get update -q
    export TUMBLERD_APT_UPDATED=1
}

# need_packages PACKAGE...: installs the Debian packages that are missing; an installed one costs nothing.
need_packages() {
    local package missing=()
    command -v dpkg-query >/dev/null \
        || die "this is no Debian: install the equivalents of: $* (then put their commands on PATH)"
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | has 'ok installed' || missing+=("$package")
    done
    [ "${#missing[@]}" -eq 0 ] && return 0
    say "installing Debian packages: ${missing[*]}"
    update_apt
    # The tests and the demo start a broker of their own on a free port. The package's system-wide broker is
    # neither started nor left enabled, unless it was here before.
    local policy=/usr/sbin/policy-rc.d held=
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
        held=1
    fi
    local status=0
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" || status=$?
    [ -z "$held" ] || as_root rm -f "$policy"
    [ "$status" -eq 0 ] || die "apt-get could not install: ${missing[*]}"
    case " ${missing[*]} " in
        *" mosquitto "*) as_root systemctl disable mosquitto.service >/dev/null 2>&1 || true ;;
    esac
}

# install_rust: the distribution's compiler, where that is new enough: Debian 13 and Raspberry Pi OS trixie have one.
install_rust() {
    local wanted offered=''
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml")
    if command -v apt-cache >/dev/null; then
        update_apt
        # Where there is none, the candidate is "(none)", which dpkg takes for newer than any number.
        offered=$(LC_ALL=C apt-cache policy cargo | awk '$1 == "Candidate:" && $2 ~ /^[0-9]/ { print $2 }')
    fi
    [ -n "$offered" ] && dpkg --compare-versions "$offered" ge "$wanted" \
        || die "no cargo on PATH, and the distribution's is ${offered:-none}: install Rust $wanted or newer (https://rustup.rs)"
    need_packages cargo rustc rustfmt rust-clippy
}

# need_rust: a compiler that is new enough, with rustfmt and clippy.
need_rust() {
    command -v cargo >/dev/null || install_rust
    local component missing=()
    cargo fmt --version >/dev/null 2>&1 || missing+=(rustfmt)
    cargo clippy --version >/dev/null 2>&1 || missing+=(clippy)
    [ "${#missing[@]}" -eq 0 ] && return 0
    command -v rustup >/dev/null || die "missing Rust components: ${missing[*]}, and there is no rustup to add them"
    for component in "${missing[@]}"; do
        say "installing the Rust component $component"
        rustup component add "$component"
    done
}

# need_nextest: the test runner.
need_nextest() {
    cargo nextest --version >/dev/null 2>&1 || need_tool cargo-nextest "$CARGO_NEXTEST_VERSION"
}

# need_tool NAME VERSION [ARGUMENT...]: builds a cargo tool of a pinned version once into $TOOLS, and puts it first on PATH.
need_tool() {
    local name=$1 version=$2 root="$TOOLS/$1-$2"
    shift 2
    if [ ! -x "$root/bin/$name" ]; then
        say "building $name $version (once; some minutes)"
        # A target directory of its own: the workspace's stays as it is, and this one goes away. With it what build scripts leave in
        # the directory for temporary files, as that of rustix does.
        mkdir -p "$root/build/tmp"
        (cd / && TMPDIR="$root/build/tmp" CARGO_TARGET_DIR="$root/build" cargo install --locked --quiet --root "$root" "$name@$version" "$@") \
            || die "$name could not be built"
        rm -rf "$root/build"
    fi
    export PATH="$root/bin:$PATH"
}
need_deny() { need_tool cargo-deny "$CARGO_DENY_VERSION" --no-default-features; }
need_about() { need_tool cargo-about "$CARGO_ABOUT_VERSION" --features cli; }
need_deb() { need_tool cargo-deb "$CARGO_DEB_VERSION"; }
need_mutants() { need_tool cargo-mutants "$CARGO_MUTANTS_VERSION"; }

# need_node_program NAME: what scripts/NAME/package-lock.json asks for, once for each such file. Beside it the scripts, check.js
# among them, so that node finds both. NODE_PROGRAM is their directory.
need_node_program() {
    if ! command -v node >/dev/null || ! command -v npm >/dev/null; then need_packages nodejs npm; fi
    local from="$ROOT/scripts/$1"
    NODE_PROGRAM="$TOOLS/$1-$(cat "$from/package.json" "$from/package-lock.json" | sha256sum | cut -c1-12)"
    if [ ! -e "$NODE_PROGRAM/installed" ]; then
        say "installing what scripts/$1 needs from npm (once)"
        mkdir -p "$NODE_PROGRAM"
        cp "$from/package.json" "$from/package-lock.json" "$NODE_PROGRAM/"
        # Nobody's scripts: none of it needs any.
        npm ci --prefix "$NODE_PROGRAM" --ignore-scripts --no-audit --no-fund --loglevel=error || die "the packages of scripts/$1 could not be installed"
        touch "$NODE_PROGRAM/installed"
    fi
    cp "$from"/*.js "$NODE_PROGRAM/"
}

# need_build_packages, need_test_packages: what compiling and what each kind of lane needs.
need_build_packages() { need_packages gcc libc6-dev pkg-config; }
need_bench_packages() { need_packages mosquitto mosquitto-clients openssl sqlite3 strace e2fsprogs; }
need_report_packages() { need_packages gtkwave sigrok-cli; }
need_nspawn_packages() { need_packages systemd-container mmdebstrap util-linux; }

# build_release: the daemon and tumblerctl as they ship. Prints nothing but errors; RELEASE is their directory.
build_release() { cargo build --release --locked --quiet -p tumblerd -p tumblerctl; }
RELEASE="${CARGO_TARGET_DIR:-$ROOT/target}/release"
readonly RELEASE

# build_rig: the rig, by the profile of the tests and as part of the workspace, so that it shares their crates. A test is named so
# that cargo takes the tests' features, too, and finds everything compiled. It plays what ships. Prints nothing but errors; RIG is its
# program.
build_rig() {
    cargo build --locked --quiet --workspace --bin tumbler-hil --test choice
    # Only here: the tests of the workspace find the daemon that is built with them.
    export TUMBLERD="${TUMBLERD:-$RELEASE/tumblerd}"
}
RIG="${CARGO_TARGET_DIR:-$ROOT/target}/debug/tumbler-hil"
readonly RIG
# strip_rig FILE: the rig's program without what only a debugger reads, for a guest's small disk.
strip_rig() { strip --strip-debug -o "$1" "$RIG"; }

# a_package ARCH DIRECTORY: prints the path of a Debian package: the one that TUMBLERD_DEB names, or one that is made there.
a_package() {
    if [ -n "${TUMBLERD_DEB:-}" ]; then echo "$TUMBLERD_DEB"; else scripts/package --arch "$1" --out "$2"; fi
}

# seed_build DIRECTORY: gives a target directory that has no build yet other people's crates as the work tree's own has them, so
# that they are not compiled once more.
seed_build() {
    local own="${CARGO_TARGET_DIR:-$ROOT/target}/debug"
    if [ -d "$1/debug" ] || [ ! -d "$own" ]; then return 0; fi
    need_packages rsync
    mkdir -p "$1/debug"
    rsync -a --exclude='*tumbler*' --exclude='*switched*' --include='/deps/' --include='/deps/lib*' --include='/deps/*.d' --exclude='/deps/*' \
        --include='/build/***' --include='/.fingerprint/***' --exclude='*' "$own/" "$1/debug/"
}

readonly ARM64=aarch64-unknown-linux-gnu
# need_arm64: what builds for a Raspberry Pi: Debian's C compiler and linker for it, and Rust's own library. ARM64_CARGO is what
# cargo is told besides. Debian 12's glibc is older than that of any Raspberry Pi OS that the binary is for.
need_arm64() {
    need_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    ARM64_CARGO=()
    if [ -d "$(rustc --print target-libdir --target "$ARM64")" ]; then return 0; fi
    if command -v rustup >/dev/null; then
        say "installing Rust's library for $ARM64"
        if rustup target add "$ARM64"; then return 0; fi
    fi
    # A compiler without it builds it itself, from the source of the very same version.
    local source
    source="$(rustc --print sysroot)/lib/rustlib/src/rust/library"
    [ -d "$source" ] || die "no Rust library for $ARM64: 'rustup target add $ARM64', or install the rust-src of $(rustc --version)"
    export RUSTC_BOOTSTRAP=1
    ARM64_CARGO=("-Zbuild-std=std,panic_abort")
}

# build_arm64: the daemon and tumblerctl as they ship, for a Raspberry Pi. RELEASE_ARM64 is the directory of the binaries.
build_arm64() { cargo_arm64 --release -p tumblerd -p tumblerctl; }
# build_rig_arm64: the rig's program for one, at once and not its fastest.
build_rig_arm64() { cargo_arm64 --config profile.dev.debug=false -p tumbler-hil; }
cargo_arm64() {
    need_arm64
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc AR_aarch64_unknown_linux_gnu=aarch64-linux-gnu-ar \
        cargo build --locked --quiet --target "$ARM64" "$@" "${ARM64_CARGO[@]}"
}
RELEASE_ARM64="${CARGO_TARGET_DIR:-$ROOT/target}/$ARM64/release"
readonly RELEASE_ARM64

# mirror: where apt here has this machine's release from; other suites lie beside it.
mirror() {
    local codename
    codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    apt-get indextargets 'Created-By: Packages' --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' \
        | awk -v suite="$codename" '$2 == suite && $3 == "main" { sub("/$", "", $1); print $1; exit }'
}

# root_file_system NAME PACKAGES SUITE SOURCES [OPTION...]: prints the path of a cached tar: Debian's SUITE with PACKAGES, from the
# lines of apt's sources in SOURCES, with further options of mmdebstrap. Made if there is none of the same arguments yet.
root_file_system() {
    local name=$1 packages=$2 suite=$3 sources=$4 tar made cache="${XDG_CACHE_HOME:-$HOME/.cache}/tumblerd"
    mkdir -p "$cache"
    tar="$cache/$name-$suite-$(printf '%s\n' "$@" | sha256sum | cut -c1-16).tar"
    shift 4
    if [ ! -e "$tar" ]; then
        echo "building the root file system of $name (once; a minute or two)" >&2
        made=$(mktemp -d)
        printf '%s\n' "$sources" >"$made/apt.list"
        as_root mmdebstrap --quiet --variant=minbase --include="$packages" "$@" "$suite" "$made/root.tar" "$made/apt.list" >&2 \
            || { rm -rf "$made"; die "the root file system of $name could not be built"; }
        # Its name appears at once and whole, also where the cache is on another file system.
        cp "$made/root.tar" "$tar.$$"
        mv "$tar.$$" "$tar"
        as_root rm -rf "$made"
    fi
    printf '%s' "$tar"
}
# debian_sources SUITE...: lines of apt's sources for these suites of Debian, from where apt here has its own.
debian_sources() {
    local from suite
    from=$(mirror)
    [ -n "$from" ] || { as_root apt-get update -q >&2; from=$(mirror); }
    [ -n "$from" ] || die "apt has no source for this release here"
    for suite in "$@"; do echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $from $suite main"; done
}

# need_qemu PROGRAM PACKAGE: QEMU 10; Debian 12 has it among its backports.
need_qemu() {
    local program=$1 package=$2 codename list=/etc/apt/sources.list.d/tumblerd-backports.list
    if command -v "$program" >/dev/null; then return 0; fi
    codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
    if [ "$codename" != bookworm ]; then need_packages "$package"; return 0; fi
    if [ ! -e "$list" ]; then
        say "adding bookworm-backports to apt's sources, for QEMU 10: $list"
        debian_sources bookworm-backports | as_root tee "$list" >/dev/null
        as_root apt-get update -q
        export TUMBLERD_APT_UPDATED=1
    fi
    say "installing Debian package $package from bookworm-backports"
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends -t bookworm-backports "$package" \
        || die "QEMU could not be installed"
}

# copy_tree DIRECTORY: what is in the work tree now, committed or not. Always to the same place, so that what did not
# change is not built again; a file that differs gets the time of now, so that cargo sees it.
copy_tree() {
    need_packages rsync
    mkdir -p "$1"
    git -C "$ROOT" ls-files -z --cached --others --exclude-standard \
        | rsync -rlpc --from0 --ignore-missing-args --files-from=- "$ROOT/" "$1/"
}

# Lanes: each is timed, and a failure does not hide the result of the next one.
LANES=()
LANES_FAILED=0
# The last lines of each lane that failed: whoever reads the end of a long log has the reason there.
LANES_LAST_LINES=()

# lane NAME COMMAND...: runs it, says how long it took, remembers how it ended.
lane() {
    local name=$1 began=$SECONDS status=0
    shift
    say "$name: $*"
    # A subshell that is not the condition of an `if`, so that `set -e` holds inside functions too.
    set +e
    if [ -n "${TUMBLERD_LANE:-}" ] || [ -t 1 ]; then
        # A lane of a lane is quoted by the outer one; a person at a terminal can scroll, and keeps colours and progress bars.
        (set -e; "$@") </dev/null
        status=$?
    else
        lane_logged "$name" "$@"
        status=$?
    fi
    set -e
    local took=$((SECONDS - began)) verdict=ok
    if [ "$status" -ne 0 ]; then verdict="FAILED (exit $status)"; LANES_FAILED=$((LANES_FAILED + 1)); fi
    LANES+=("$(printf '%-24s %5d s  %s' "$name" "$took" "$verdict")")
    printf -- '-- %s: %s after %d s\n' "$name" "$verdict" "$took"
}

# lane_logged NAME COMMAND...: runs it and keeps the last lines of what it says, should it fail.
lane_logged() {
    local name=$1 log status
    shift
    # A file without a name: nothing can leave it behind.
    log=$(mktemp)
    exec 7>"$log" 8<"$log"
    rm "$log"
    # Without the mark of a run's processes (.ci/run): it is still there when what was left behind is looked for.
    exec 6> >(exec env -u TUMBLERD_RUN tee /dev/fd/7)
    local tee=$!
    (
        export TUMBLERD_LANE=$name
        set -e
        "$@"
    ) </dev/null >&6 2>&1 6>&- 7>&- 8<&-
    status=$?
    exec 6>&-
    # Until all of it is told; a process that was left behind with the pipe in its hands holds nothing up.
    timeout 10 tail -s 0.1 -f --pid="$tee" /dev/null
    [ "$status" -eq 0 ] || LANES_LAST_LINES+=("$(printf '\n== the last lines of %s\n' "$name"; tail -n 60 <&8)")
    exec 7>&- 8<&-
    return "$status"
}

# lane_beside NAME COMMAND...: begins a lane beside the ones that follow; `lane NAME lane_ends` tells what came of it. For one that
# keeps a single core busy and does not mind a busy machine.
lane_beside() {
    local name=$1 log
    shift
    say "$name, beside what follows: $*"
    log=$(mktemp)
    exec 4<"$log" 5>"$log"
    rm "$log"
    (
        # As in `lane`: not the condition of anything, so that `set -e` holds inside.
        set +e
        (export TUMBLERD_LANE=$name; set -e; "$@") </dev/null 4<&-
        printf '\n%s\n' "$?"
    ) >&5 2>&1 &
    LANE_BESIDE=$!
    exec 5>&-
}
lane_ends() {
    local said
    # It is no child of this lane's shell, which therefore cannot wait for it.
    tail -s 0.2 -f --pid="$LANE_BESIDE" /dev/null
    said=$(cat <&4)
    printf '%s\n' "${said%$'\n'*}"
    return "${said##*$'\n'}"
}

# lanes_end: the summary; its status is that of the whole run.
lanes_end() {
    [ "${#LANES_LAST_LINES[@]}" -eq 0 ] || printf '%s\n' "${LANES_LAST_LINES[@]}"
    say "lanes"
    printf '%s\n' "${LANES[@]}"
    printf 'total %d s\n' "$SECONDS"
    printf 'lanes: %d passed, %d failed\n' "$((${#LANES[@]} - LANES_FAILED))" "$LANES_FAILED"
    [ "$LANES_FAILED" -eq 0 ]
}
