# A Debian in a folder of its own, `$root`. Sourced; needs root, debootstrap and a Debian mirror (DEBIAN_MIRROR).
# shellcheck shell=sh
mirror=${DEBIAN_MIRROR-http://deb.debian.org/debian}

say() { printf '== %s\n' "$*"; }

# make_debian SUITE: a fresh, minimal one.
make_debian() {
  debootstrap --variant=minbase "$1" "$root" "$mirror" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log"
    exit 1
  }
  rm "$root.log"
  echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe-io"  # whoever pulls the plug makes another one
  [ -e "$root/etc/hosts" ] || echo '127.0.0.1 localhost' >"$root/etc/hosts"
  printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"  # no services
  chmod +x "$root/usr/sbin/policy-rc.d"
}

# inside COMMAND...: runs it there as root, with nothing of this machine's environment.
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }

# install_inside PACKAGE...
install_inside() { inside apt-get install -qq -y --no-install-recommends "$@" >/dev/null; }
