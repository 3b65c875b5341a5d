#!/bin/sh
# cmake_user.sh WORK COMPILER CMAKE_OPTION...: configures, builds and runs the consumer.
set -eu
here=$(dirname "$0")
work=$1
compiler=$2
shift 2
rm -rf "$work"
cmake -S "$here/consumer" -B "$work" -G Ninja -D CMAKE_CXX_COMPILER="$compiler" "$@"
cmake --build "$work"
"$work/core_user"
for program in grpc_user files_user; do
  [ ! -e "$work/$program" ] || "$work/$program"
done
