# What scripts/vm and scripts/power-cuts share: a Debian guest with the package installed, on a kernel with gpio-sim. Source it after
# lib.sh, with $work a directory of one's own.
# shellcheck shell=bash
# shellcheck disable=SC2154  # $work is the caller's

readonly GUEST_PACKAGES=systemd,systemd-sysv,udev,dbus,kmod,mosquitto,mosquitto-clients,openssl,sqlite3,strace,e2fsprogs,util-linux,mount,procps,libudev1
# Boards, cards and the root file system are there from the start; nothing of these is asked for.
readonly GUEST_MASKED=(getty@tty1.service serial-getty@ttyS0.service console-getty.service systemd-udev-trigger.service
    systemd-networkd.service systemd-logind.service systemd-timesyncd.service systemd-random-seed.service
    systemd-journal-flush.service systemd-update-utmp.service mosquitto.service apt-daily.timer apt-daily-upgrade.timer
    dpkg-db-backup.timer fstrim.timer e2scrub_all.timer e2scrub_reap.service)

# guest_files: prints the path of the guest's cached files: root file system, kernel and its modules.
guest_files() {
    local from
    from=$(debian_sources trixie trixie-backports)
    # The hash has it built anew when the script that fetches the kernel changes. That script's path is a relative one, so that every
    # checkout shares the cache.
    root_file_system guest "$GUEST_PACKAGES" trixie "$from" \
        --customize-hook="copy-in scripts/guest/kernel /tmp" \
        --customize-hook="chroot \"\$1\" sh /tmp/kernel # $(sha256sum <"$ROOT/scripts/guest/kernel" | cut -c1-16)"
}

# modules NAME...: the files of these kernel modules and of what they need, in the order in which they are loaded.
modules() {
    local name
    for name in "$@"; do modprobe -d "$work/root/kernel/usr" -S "$GUEST_KERNEL" --show-depends "$name" | awk '$1 == "insmod" { print $2 }'; done \
        | awk '!seen[$0]++'
}

# need_guest: what it takes to build a guest.
need_guest() {
    need_compilers
    need_packages mmdebstrap kmod cpio xz-utils busybox-static e2fsprogs
    export PATH="$PATH:/usr/sbin:/sbin"
    need_qemu qemu-system-x86_64 qemu-system-x86
}

# build_guest DEB UNIT FILE...: the guest's root file system in $work/root, with this package, this unit for its boot and these
# files in /opt/tumblerd; $work/vmlinuz and $work/initrd.gz to boot it with; its kernel's version in GUEST_KERNEL.
build_guest() {
    local deb=$1 unit=$2 root=$work/root module name masked
    shift 2
    mkdir -p "$root"
    as_root tar -C "$root" -xf "$(guest_files)"
    as_root chown "$(id -u)" "$root"
    GUEST_KERNEL=$(basename "$(find "$root/kernel/usr/lib/modules" -mindepth 1 -maxdepth 1 -type d)")
    as_root depmod -b "$root/kernel/usr" "$GUEST_KERNEL" 2>/dev/null || die "the modules of kernel $GUEST_KERNEL cannot be read"
    [ -n "$(modules gpio-sim)" ] || die "kernel $GUEST_KERNEL has no gpio-sim: Debian's has it from 7.2 on, and not in its cloud flavour"

    # What the kernel needs before it has a root file system.
    mkdir -p "$work/initrd/bin" "$work/initrd/dev" "$work/initrd/root" "$work/initrd/modules"
    cp /bin/busybox "$work/initrd/bin/"
    install -m 755 scripts/guest/init "$work/initrd/init"
    for module in $(modules virtio_blk ext4); do
        name=$(basename "$module" .xz)
        xz -dc "$module" >"$work/initrd/modules/$name"
        echo "$name" >>"$work/initrd/modules/order"
    done
    (cd "$work/initrd" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd.gz"

    # What the guest needs, without what it does not.
    for module in $(modules gpio-sim loop); do
        as_root install -D -m 644 "$module" "$root/usr/lib/modules/$GUEST_KERNEL/${module#*/modules/"$GUEST_KERNEL"/}"
    done
    as_root depmod -b "$root/usr" "$GUEST_KERNEL" 2>/dev/null || die "the guest's modules cannot be listed"
    as_root find "$root/kernel" -name 'vmlinuz*' -exec cp {} "$work/vmlinuz" \;
    as_root chown "$(id -u)" "$work/vmlinuz"
    as_root rm -rf "$root/kernel"
    for masked in "${GUEST_MASKED[@]}"; do as_root ln -sf /dev/null "$root/etc/systemd/system/$masked"; done
    as_root install -D -m 644 "$unit" "$root/usr/lib/systemd/system/$(basename "$unit")"
    as_root systemctl --quiet --root="$root" enable "$(basename "$unit")"
    as_root mkdir -p "$root/opt/tumblerd"
    as_root cp -r "$@" "$root/opt/tumblerd/"
    as_root install -m 644 "$deb" "$root/opt/tumblerd/tumblerd.deb"
    as_root chroot "$root" dpkg --install /opt/tumblerd/tumblerd.deb >"$work/installed" 2>&1 || { cat "$work/installed"; die "the package cannot be installed"; }
    as_root mke2fs -q -t ext4 -d "$root" "$work/disk" 700M
    as_root chown "$(id -u)" "$work/disk"
}

# The machine that the guest runs on. Its clocks count its own instructions, one each nanosecond, and do not wait while it has nothing
# to do: a host that is busy makes it slower, and it does not notice; nor does anybody wait for what people do at a table.
# shellcheck disable=SC2034  # used by who sources this
readonly GUEST_MACHINE=(qemu-system-x86_64 -accel tcg -icount "shift=0,sleep=off" -smp 1 -cpu Nehalem -M q35 -nodefaults -no-user-config
    -display none -no-reboot)
# What its kernel is told: without its guards against leaks between programs a system call is some ten times as fast under emulation.
# shellcheck disable=SC2034
readonly GUEST_APPEND='console=ttyS0 rw quiet loglevel=3 systemd.show_status=0 mitigations=off'
