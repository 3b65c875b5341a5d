#!/bin/sh
# recloser replay: what it prints and how it ends. $1: the command, $2: the folder of the golden traces.
set -eu
recloser=$1
trace=$2/standard.trace
# shellcheck source=test/tools/recloser.sh
. "$(dirname "$0")/../tools/recloser.sh"

# has FILE TEXT: out or err has it, to the letter.
has() { grep -qF -- "$2" "$work/$1" || fail "no '$2' in: $(cat "$work/$1")"; }

exits 0 replay "$trace"
has out 'dns:///orders:443 orders.Orders/Get (standard): '
has out 'opened by rating: failure rate '
has out '1 breakers: every decision came out as recorded; the trace was full'
exits 0 replay "$trace" --breaker orders.Orders/Get --json
has out '"identical":true'
exits 2 replay "$trace" --breaker orders.Orders/Put
has err 'no breaker "orders.Orders/Put" in this trace'

head -c 5000 "$trace" >"$work/cut.trace"
exits 2 replay "$work/cut.trace"
has err "$work/cut.trace: byte "
has err ': cut off: a record of '
exits 2 replay "$work/none.trace"
has err 'cannot be read'
mkfifo "$work/pipe"
exits 2 replay "$work/pipe"
has err 'is not a regular file'
printf 'recloser-trace 9\n' >"$work/newer.trace"
exits 2 replay "$work/newer.trace"
has err 'written in format 9 by a newer version'
exits 2 replay
has err 'TRACE is required'

# A breaker that was never forced open.
cat >"$work/other.jsonl" <<'LINES'
{"header":{"format":1}}
{"breaker":1,"now_ns":"1","made":{"target":"t","service":"a.B","method":"C","random":["1","2","3","4"],"config":{"breaker":{"standard":{}}}}}
{"breaker":1,"now_ns":"2","try_acquire":{"refusal":{"state":"forced_open","retry_after_seconds":1}}}
LINES
exits 1 replay "$work/other.jsonl"
has out 'DIFFERENT at record '
has out '1 breakers: 1 decided differently'
