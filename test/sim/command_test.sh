#!/bin/sh
# The `recloser` command: exit statuses, tables, JSON. Usage: command_test.sh RECLOSER
set -eu
recloser=$1
# shellcheck source=test/tools/recloser.sh
. "$(dirname "$0")/../tools/recloser.sh"

# refused PATTERN ARGUMENT...: exit status 2 and one line on stderr that has PATTERN.
refused() {
  pattern=$1
  shift
  exits 2 "$@"
  complains_once
  says err "$pattern"
}

refused 'subcommand'
refused 'bogus' simulate --bogus
refused 'S99' simulate --scenario S99
refused 'unheard-of' simulate --arm unheard-of
printf '{"id": "x", "length": "1s", "services": [{"name": "a", "workers": 0}]}' >"$work/bad.json"
refused 'services\[0\].workers: 0 is not allowed' simulate --scenario "$work/bad.json"
refused '--json' simulate --scenario S1 --arm none --seeds 1 --json "$work/no/such/folder"
refused 'excludes' simulate --bars --arm none

printf '{"id": "mine", "warm_up": "1s", "length": "3s", "services": [{"name": "a", "faults": [{"length": "1s", "refused": {}}]}]}' >"$work/mine.json"
"$recloser" simulate --scenario "$work/mine.json" --arm none --arm adaptive --pattern all --pattern scenario --seeds 2 --series \
  --json "$work/out.json" >"$work/out"
grep -q '^mine, all$' "$work/out" || fail 'no table of the pattern'
grep -q '^adaptive ' "$work/out" || fail 'no line of the arm'
[ "$(grep -c traceHash "$work/out.json")" -eq 8 ] || fail 'not one run for each arm, pattern and seed'
grep -q '"rating"' "$work/out.json" || fail 'no series'

# Policies of one's own beside the arms.
printf '{"method_config": [{"name": [{}], "retry": {"max_attempts": 0}}]}' >"$work/policies.json"
refused 'policies.json: method_config\[0\].retry.max_attempts: 0 is not allowed' simulate --policy "$work/policies.json"
printf '{"method_config": [{"name": [{}], "attempt_timeout": "0.2s", "breaker": {"standard": {"wait": "1s"}}}]}' >"$work/policies.json"
mkdir "$work/other"
cp "$work/policies.json" "$work/other"
"$recloser" simulate --scenario "$work/mine.json" --arm none --policy "$work/policies.json" --policy "$work/other/policies.json" --seeds 1 >"$work/out"
grep -q '^policies.json ' "$work/out" || fail 'no line of the policies'
[ "$(grep -c '^[a-z/].*%' "$work/out")" -eq 3 ] || fail 'not three arms'
refused 'excludes' simulate --bars --policy "$work/policies.json"

refused '--report' simulate --scenario S1 --arm none --seeds 1 --report "$work/no/such/folder"
"$recloser" simulate --scenario "$work/mine.json" --arm none --arm 'adaptive*' --seeds 1 --report "$work/out.html" >"$work/out"
grep -q '<h2 id="mine">' "$work/out.html" || fail 'no section of the scenario'
grep -q "simulate --scenario .*mine.json --arm none --arm &#39;adaptive\*&#39; --seeds 1" "$work/out.html" || fail 'no command line'
[ "$(grep -c '<svg' "$work/out.html")" -eq 7 ] || fail 'not seven pictures'

# What the disk does not take is told, and nothing else is lost by it.
for flag in --json --report; do
  exits 1 simulate --scenario "$work/mine.json" --arm none --seeds 1 "$flag" /dev/full
  says err "^recloser: $flag /dev/full: cannot be written$"
  grep -q '^none ' "$work/out" || fail "$flag on a full disk: no tables"
done

"$recloser" simulate --list | grep -q '^  S16-S5' || fail 'no list'
# The wide tables stay readable.
"$recloser" simulate --scenario "$work/mine.json" --arm 'wide-t10s-w0.25s-h10*' --seeds 1 >"$work/out"
awk 'length > 100 { exit 1 }' "$work/out" || fail 'a line of more than 100 columns'
