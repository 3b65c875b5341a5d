#!/bin/sh
# install.sh BUILD PREFIX: installs BUILD, and moves what was installed to PREFIX: nothing in it may know where it was first.
set -eu
build=$1
prefix=$2
rm -rf "$prefix" "$prefix.first"
cmake --install "$build" --prefix "$prefix.first" >"$prefix.log"
mv "$prefix.first" "$prefix"
if grep -rlI -e "$prefix.first" -e "$build" "$prefix"; then
  echo 'these files know where they were built or first installed' >&2
  exit 1
fi
"$prefix/bin/recloser" --help >/dev/null
