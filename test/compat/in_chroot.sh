#!/bin/sh
# in_chroot.sh [--quick] NAME FOLDER PACKAGE...: builds this source in the Debian called NAME with the packages of its own, runs the tests there, and
# prints a row of docs/compatibility.md's table. The Debian stays in FOLDER/NAME, with what was compiled: the next run is quick. `./dev compat`
# calls it, and knows the packages. --quick: only the tests of what includes gRPC, protobuf or civetweb, without the demo's. Needs root, debootstrap and a Debian mirror (DEBIAN_MIRROR).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
quick=
if [ "$1" = --quick ]; then
  quick=yes
  shift
fi
name=$1
folder=$2
shift 2
root=$folder/$name
case $name in
  debian12) suite=bookworm title='Debian 12' ;;
  debian13) suite=trixie title='Debian 13' ;;
  sid-experimental) suite=sid title='Debian sid, gRPC and protobuf from experimental' ;;
  *) echo "no system '$name'; there are debian12, debian13 and sid-experimental" >&2; exit 2 ;;
esac
# shellcheck source=test/packages/chroot.sh
. "$here/../packages/chroot.sh"
trap 'exit 1' HUP INT TERM

# Only gRPC and protobuf are taken from there, with what they cannot do without: they are built against sid's abseil, which so has to be sid's.
take_grpc_from_experimental() {
  echo "deb $mirror experimental main" >"$root/etc/apt/sources.list.d/experimental.list"
  printf 'Package: src:grpc src:protobuf\nPin: release a=experimental\nPin-Priority: 990\n' >"$root/etc/apt/preferences.d/grpc"
}

if [ ! -e "$root.made" ]; then
  say "$title: a fresh one"
  rm -rf --one-file-system "$root"
  mkdir -p "$folder"
  make_debian "$suite"
  if [ "$suite" = sid ]; then take_grpc_from_experimental; fi
  echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/valid-until"  # a mirror may lag behind
  inside apt-get -qq update
  touch "$root.made"
fi
say "$title: the packages"
install_inside "$@"

version_of() { inside dpkg-query -W -f '${Version}' "$1" | sed 's/^[0-9]*://; s/[-+~].*//'; }
compiler="GCC $(inside g++ -dumpfullversion)"
grpc=$(version_of libgrpc++-dev)
protobuf=$(version_of libprotobuf-dev)
abseil=$(version_of libabsl-dev)
prometheus=$(version_of prometheus-cpp-dev)
cmake=$(version_of cmake)
say "$compiler, gRPC $grpc, protobuf $protobuf, abseil $abseil, prometheus-cpp $prometheus, CMake $cmake"

rm -rf "$root/src"
mkdir "$root/src"
tar -C "$here/../.." --exclude=./build --exclude=./.git -cf - . | tar -C "$root/src" -xf -

# /proc and /sys are mounted for this command alone, and are gone with it. Without /sys calls of gRPC 1.51 fail now and then: glibc's malloc asks
# there for the processors, and what it leaves in `errno` is taken for the end of a `connect` that is under way.
build_inside() {
  # shellcheck disable=SC2016
  unshare --mount sh -c 'mount -t proc proc "$0/proc" && mount -t sysfs sys "$0/sys" && exec chroot "$0" "$@"' "$root" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 CCACHE_SLOPPINESS=pch_defines,time_macros "$@"
}
jobs=${CMAKE_BUILD_PARALLEL_LEVEL-$(nproc)}

say "$title: building on $jobs processors"
# Anew: what was built of other files may seem newer than these. ccache makes it quick.
rm -rf "$root/build"
# The simulator has no part in gRPC; with it go the tests of documents and packages.
build_inside cmake -G Ninja -S /src -B /build -D CMAKE_BUILD_TYPE=Debug -D CMAKE_CXX_FLAGS_DEBUG=-O1 -D CMAKE_CXX_COMPILER_LAUNCHER=ccache \
  -D RECLOSER_BUILD_BENCHMARKS=OFF -D RECLOSER_BUILD_SIM=OFF
targets=all
if [ -n "$quick" ]; then
  targets='recloser_core recloser_config recloser_events recloser_prometheus recloser_page recloser_grpc'
  targets="$targets config_test events_test prometheus_test page_test grpc_test grpc_unknown_grpc_test minimal_client protected_client"
fi
# shellcheck disable=SC2086  # one word per target
build_inside cmake --build /build --parallel "$jobs" --target $targets -- -k 0  # all that does not compile is shown

# Not what is the same everywhere, or wants a browser, a Prometheus, a gRPC in Python or Doxygen: ./dev test runs those.
say "$title: the tests"
which=.
if [ -n "$quick" ]; then which='^(config|events|prometheus|page|grpc)_([a-z_]*_)?test$'; fi
left_out='python|chaos|bad_input|browser|subproject'
# What faults on the wire do is written down for gRPC 1.51: a current one does some otherwise, on a bare channel too, and one ends the process.
if [ "$suite" = sid ]; then left_out="$left_out|grpc_wire"; fi
build_inside ctest --test-dir /build --output-on-failure --output-log /build/tests.log \
  -R "$which" -LE 'docs|deploy|layering' -E "$left_out"
tests=$(sed -n 's/^100% tests passed, 0 tests failed out of \([0-9]*\)$/\1/p' "$root/build/tests.log")
cases=$(awk '/^\[  PASSED  \]/ { n += $4 } END { print n + 0 }' "$root/build/Testing/Temporary/LastTest.log")
printf '| %s | %s | %s | %s | %s | %s | %s | %s, of %s cases |\n' "$title" "$compiler" "$grpc" "$protobuf" "$abseil" "$prometheus" "$cmake" \
  "${tests:?}" "$cases" | tee "$root.row"
