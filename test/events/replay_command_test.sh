#!/bin/sh
# recloser replay: what it prints and how it ends. $1: the command, $2: the folder of the golden traces.
set -eu
recloser=$1
trace=$2/standard.trace
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { printf '%s\n' "$*" >&2; exit 1; }
# ends STATUS ARGUMENTS...: runs the command; its output is in $work/out and $work/err.
ends() {
  expected=$1
  shift
  status=0
  "$recloser" replay "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq "$expected" ] || fail "replay $*: ended with $status, not $expected: $(cat "$work/out" "$work/err")"
}
says() { grep -qF -- "$2" "$work/$1" || fail "'$2' is not in: $(cat "$work/$1")"; }

ends 0 "$trace"
says out 'dns:///orders:443 orders.Orders/Get (standard): '
says out 'opened by rating: failure rate '
says out '1 breakers: every decision came out as recorded; the trace was full'
ends 0 "$trace" --breaker orders.Orders/Get --json
says out '"identical":true'
ends 2 "$trace" --breaker orders.Orders/Put
says err 'no breaker "orders.Orders/Put" in this trace'

head -c 5000 "$trace" >"$work/cut.trace"
ends 2 "$work/cut.trace"
says err "$work/cut.trace: byte "
says err ': cut off: a record of '
ends 2 "$work/none.trace"
says err 'cannot be read'
mkfifo "$work/pipe"
ends 2 "$work/pipe"
says err 'is not a regular file'
printf 'recloser-trace 9\n' >"$work/newer.trace"
ends 2 "$work/newer.trace"
says err 'written in format 9 by a newer version'
ends 2
says err 'TRACE is required'

# A breaker that was never forced open.
cat >"$work/other.jsonl" <<'LINES'
{"header":{"format":1}}
{"breaker":1,"now_ns":"1","made":{"target":"t","service":"a.B","method":"C","random":["1","2","3","4"],"config":{"breaker":{"standard":{}}}}}
{"breaker":1,"now_ns":"2","try_acquire":{"refusal":{"state":"forced_open","retry_after_seconds":1}}}
LINES
ends 1 "$work/other.jsonl"
says out 'DIFFERENT at record '
says out '1 breakers: 1 decided differently'
