# Shared by the scripts; source it.
# shellcheck shell=bash

set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly ROOT
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-auto}"

# What cargo would keep to build the next time faster is a seventh of the time of a build. Whoever edits has it from the first cargo command
# of their own, and the scripts then build on it. Where there is none yet, nothing is kept: else a new clone would pay for it.
if [ -z "${CARGO_INCREMENTAL:-}" ] && ! compgen -G "${CARGO_TARGET_DIR:-$ROOT/target}/debug/incremental/*" >/dev/null; then
    export CARGO_INCREMENTAL=0
fi

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

# may_install WHAT: asks before anything is installed through sudo. Root and CI are not asked, nor is who said --yes.
may_install() {
    local answer
    if [ "$(id -u)" -eq 0 ] || [ -n "${CI:-}${TUMBLERD_YES:-}" ]; then return 0; fi
    { read -r -p "Install $1 with sudo? [y/N] " answer </dev/tty; } 2>&1 || die "nobody can be asked whether sudo may install $1: say --yes"
    [[ "$answer" == [yY]* ]] || die "$1 are needed, and were not installed"
}

# offered_cargo: the version of cargo that apt would install. Where there is none, the candidate is "(none)", which dpkg takes for newer
# than any number.
offered_cargo() { LC_ALL=C apt-cache policy cargo | awk '$1 == "Candidate:" && $2 ~ /^[0-9]/ { print $2 }'; }

# need_compilers: what builds the program that installs everything else. Rust is the distribution's where that is new enough: Debian 13
# and Raspberry Pi OS trixie have one.
need_compilers() {
    local missing=() wanted offered
    if ! command -v cc >/dev/null || ! command -v pkg-config >/dev/null; then missing+=(gcc libc6-dev pkg-config); fi
    if ! command -v cargo >/dev/null; then
        wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml")
        command -v apt-cache >/dev/null || die "no cargo on PATH: install Rust $wanted or newer (https://rustup.rs)"
        offered=$(offered_cargo)
        if [ -z "$offered" ]; then
            # A new machine has no lists of packages yet.
            may_install "the lists of Debian's packages"
            as_root apt-get update -q
            offered=$(offered_cargo)
        fi
        [ -n "$offered" ] && dpkg --compare-versions "$offered" ge "$wanted" \
            || die "no cargo on PATH, and the distribution's is ${offered:-none}: install Rust $wanted or newer (https://rustup.rs)"
        missing+=(cargo rustc rustfmt rust-clippy)
    fi
    if [ "${#missing[@]}" -gt 0 ]; then
        command -v apt-get >/dev/null || die "this is no Debian: install the equivalents of: ${missing[*]}"
        may_install "the Debian packages ${missing[*]}"
        as_root apt-get update -q
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
    fi
    # A rustup of few components has neither.
    cargo fmt --version >/dev/null 2>&1 || rustup component add rustfmt
    cargo clippy --version >/dev/null 2>&1 || rustup component add clippy
}

# need_xtask: builds the program behind the scripts. A test is named so that it shares its crates with all that is built for tests.
need_xtask() {
    [ -z "${TUMBLERD_XTASK:-}" ] || return 0
    need_compilers >&2
    local built="${CARGO_TARGET_DIR:-$ROOT/target}/debug/xtask" quiet=()
    if [ -e "$built" ]; then
        quiet=(--quiet)
        # Quiet, cargo does not say what it waits for.
        flock --nonblock "${built%/*}/.cargo-lock" true || echo "waiting for another build in ${built%/debug/*}" >&2
    fi
    (cd "$ROOT" && cargo build --locked "${quiet[@]}" --workspace --bin xtask --test program) >&2
    export TUMBLERD_XTASK=$built
}
# xtask ARGUMENT...: runs it.
xtask() {
    need_xtask
    "$TUMBLERD_XTASK" "$@"
}
# door ARGUMENT...: becomes it, so that it gets the signals that are sent to the script. Those of before wait for the build to end.
door() {
    trap 'exit 1' INT TERM
    need_xtask
    exec "$TUMBLERD_XTASK" "$@"
}
case " $* " in *" --yes "*) export TUMBLERD_YES=1 ;; esac

# need_packages PACKAGE..., need_qemu PROGRAM PACKAGE, need_tool NAME: installs what is missing.
need_packages() { xtask need "$@" >&2; }
need_qemu() { xtask need --qemu "$1" "$2" >&2; }
need_tool() {
    local path
    path=$(xtask need --tool "$1" | tail -n 1)
    [ -z "$path" ] || export PATH=$path
}

# made LANE: whether a lane of this run has made it; cargo, which would look, locks its directories meanwhile.
made() { [[ " ${TUMBLERD_MADE:-} " == *" $1 "* ]]; }

# build_release: the daemon and tumblerctl as they ship. Prints nothing but errors; RELEASE is their directory.
build_release() { made release || cargo_as_shipped; }
# cargo_as_shipped ARGUMENT...: builds them. Each holds the list of what it is made of (cargo-auditable), and nothing in them tells
# where they were built: the same sources make the same bytes.
cargo_as_shipped() {
    local place flags=()
    need_tool cargo-auditable
    cargo fetch --locked --quiet
    read -ra flags <<<"${RUSTFLAGS:-}"
    flags+=("--remap-path-prefix=$ROOT=/tumblerd" "--remap-path-prefix=${CARGO_TARGET_DIR:-$ROOT/target}=/target")
    for place in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do flags+=("--remap-path-prefix=$place=/crates"); done
    # As cargo splits them where a path may hold a space.
    CARGO_ENCODED_RUSTFLAGS=$(IFS=$'\x1f' && echo "${flags[*]}") \
        cargo auditable build --release --locked --quiet -p tumblerd -p tumblerctl "$@"
}
RELEASE="${CARGO_TARGET_DIR:-$ROOT/target}/release"
readonly RELEASE

# build_programs: the rig with the daemon and tumblerctl beside it, by the profile of the tests and as part of the workspace, so that they
# share its crates. A test is named so that cargo takes the tests' features, too, and finds everything compiled.
build_programs() {
    cargo build --locked "$@" --workspace --bin tumblerd --bin tumblerctl --bin tumbler-hil --test program
}
# build_rig: the same, for who plays what ships. Prints nothing but errors; RIG is the rig's program.
build_rig() {
    made build || build_programs --quiet
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
build_arm64() { made arm64 || for_arm64 cargo_as_shipped; }
# build_rig_arm64: the rig's program for one, at once and not its fastest.
build_rig_arm64() { for_arm64 cargo build --locked --quiet --config profile.dev.debug=false -p tumbler-hil; }
# for_arm64 COMMAND...: cargo's build with these words.
for_arm64() {
    need_arm64
    CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc \
        CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc AR_aarch64_unknown_linux_gnu=aarch64-linux-gnu-ar \
        "$@" --target "$ARM64" "${ARM64_CARGO[@]}"
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
