#!/bin/sh
# deb_in_chroot.sh DEB...: installs the packages into a fresh, minimal Debian 12 in a folder of its own, as a user would: first what running
# takes, then what building takes; builds the consumer there, runs it, does what the guide says to a newcomer, removes the packages. Takes
# minutes; needs root, debootstrap and a Debian mirror (DEBIAN_MIRROR).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root" "$root.log"' EXIT
trap 'exit 1' HUP INT TERM  # or the shell ends without the above
# shellcheck source=test/packages/chroot.sh
. "$here/chroot.sh"

say 'a fresh Debian'
make_debian bookworm
cp "$@" "$root/root"
cp -r "$here" "$root/root/packages"
mkdir -p "$root/root/guide/docs" "$root/root/guide/test"
cp "$here/../../docs/guide.md" "$root/root/guide/docs"
cp -r "$here/../docs" "$root/root/guide/test"

say 'the runtime and the programs, without anything to build with'
inside sh -c 'apt-get install -qq -y --no-install-recommends /root/librecloser0*.deb /root/recloser-*.deb' >/dev/null
inside recloser simulate --help >/dev/null
for program in recloser-demo recloser-load-client recloser-echo-server recloser-fault-server; do
  inside "$program" --help >/dev/null
done

say 'what building takes'
inside sh -c 'apt-get install -qq -y --no-install-recommends /root/librecloser-dev*.deb g++ cmake ninja-build pkgconf' >/dev/null
say 'a project of somebody else, by CMake'
inside /root/packages/cmake_user.sh /tmp/cmake_user g++ -D WITH_GRPC=ON
say 'the same by pkg-config'
inside /root/packages/pkg_config_user.sh /usr /tmp/pkg_config_user g++

say 'a newcomer, by the guide alone'
install_inside make curl python3
inside python3 -B /root/guide/test/docs/first_client_test.py --prefix /usr --compiler g++

say 'removal'
inside sh -c "apt-get purge -qq -y '*recloser*'" >/dev/null
left=$(cd "$root" && find usr etc var/lib/dpkg/info -name '*recloser*')
if [ -n "$left" ]; then
  printf 'left behind:\n%s\n' "$left"
  exit 1
fi
