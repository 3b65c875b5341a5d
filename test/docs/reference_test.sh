#!/bin/sh
# reference_test.sh DOXYGEN SOURCE OUTPUT: Doxygen makes the reference without a warning, and it has what people look for.
set -eu
doxygen=$1
source=$2
output=$3
rm -rf "$output"
mkdir -p "$output"
cd "$source"
{ cat docs/Doxyfile && printf 'OUTPUT_DIRECTORY = "%s"\n' "$output"; } | "$doxygen" -
for page in structrecloser_1_1Policies classrecloser_1_1CallOptions classrecloser_1_1PolicyFile classrecloser_1_1StatusPage channel_8h; do
  [ -f "$output/reference/$page.html" ] || { echo "the reference lacks $page.html" >&2; exit 1; }
done
