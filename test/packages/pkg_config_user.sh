#!/bin/sh
# pkg_config_user.sh PREFIX WORK COMPILER: builds and runs the consumer without CMake.
set -eu
here=$(dirname "$0")
prefix=$1
work=$2
compiler=$3
libdir=$(dirname "$(find "$prefix" -name 'librecloser-core.*' | head -n 1)")
export PKG_CONFIG_PATH="$libdir/pkgconfig" LD_LIBRARY_PATH="$libdir"
rm -rf "$work"
mkdir -p "$work"

for file in "$PKG_CONFIG_PATH"/recloser-*.pc; do
  module=$(basename "$file" .pc)
  pkg-config --print-errors --exists "$module"
  pkg-config --print-errors --exists "$module < 0.2"
done

# build PROGRAM MODULE...: as a shell or make would put the flags in, which pkg-config has quoted for them.
build() {
  program=$1
  shift
  eval "$compiler -std=c++17 '$here/consumer/$program.cc' -o '$work/$program' $(pkg-config --cflags --libs "$@")"
  "$work/$program"
}
build core_user recloser-core
build grpc_user recloser-grpc recloser-prometheus
build files_user recloser-config recloser-events recloser-page
