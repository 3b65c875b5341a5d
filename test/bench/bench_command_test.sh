#!/bin/sh
# The command line of the bench: help, bad flags, Ctrl-C, JSON.
# Usage: bench_command_test.sh PROGRAM
set -eu
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() { printf '%s\n' "$*" >&2; exit 1; }

# refused WHAT_IS_SAID ARGUMENT...: exits with 2 and one line that says it.
refused() {
  said=$1
  shift
  status=0
  "$program" "$@" >"$folder/out" 2>"$folder/err" || status=$?
  [ "$status" -eq 2 ] || fail "'$*' exits with $status"
  grep -q -e "$said" "$folder/err" || fail "'$*' says: $(cat "$folder/err")"
  [ "$(wc -l <"$folder/err")" -eq 1 ] || fail "'$*' says more than a line"
}

"$program" --help | grep -q 'recloser-core-off' || fail 'help does not name the arms'
refused '--arms' --arms none-of-them
refused '--forms' --forms sync,async
refused '--transports' --transports udp
refused '--concurrency' --concurrency 3
refused '--seconds' --seconds -1
refused "can't be combined" --bars --arms bare
refused '--json' --json "$folder/no/such/folder"

"$program" --seconds 0.01 --transports inproc --forms cq --arms do-nothing --no-core --no-callgrind --json "$folder/json" >"$folder/out" 2>"$folder/err" ||
  fail "a short run failed: $(cat "$folder/err")"
grep -q '^  do-nothing ' "$folder/out" || fail "no row of the arm: $(cat "$folder/out")"
python3 -c 'import json, sys; json.load(open(sys.argv[1]))["cells"][0]["value"]["median"]' "$folder/json"

# Ctrl-C: what was measured is shown. Its rounds come at once; a day would be too long.
"$program" --seconds 86400 --transports inproc --forms sync --arms do-nothing --no-core --no-callgrind >"$folder/shown" 2>"$folder/progress" &
child=$!
# Before it says so it may not have the signal in its hands.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  ! grep -q measuring "$folder/progress" 2>/dev/null || break
  sleep 0.2
done
kill -INT "$child"
status=0
wait "$child" || status=$?
[ "$status" -eq 130 ] || fail "exits with $status after SIGINT: $(cat "$folder/progress")"
grep -q 'interrupted' "$folder/shown" || fail "nothing shown after SIGINT: $(cat "$folder/shown")"
