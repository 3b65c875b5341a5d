# shellcheck shell=sh disable=SC2154  # $recloser
# For the tests of the `recloser` command, which source this with $recloser set: a folder for their files, and what a run must be like.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() { printf '%s\n' "$*" >&2; exit 1; }

# exits STATUS ARGUMENT...: runs the command; its output is left in $work/out and $work/err.
exits() {
  expected=$1
  shift
  status=0
  "$recloser" "$@" >"$work/out" 2>"$work/err" || status=$?
  [ "$status" -eq "$expected" ] || fail "$*: exit status $status instead of $expected: $(cat "$work/out" "$work/err")"
}

# says FILE PATTERN: out or err has it.
says() { grep -q -- "$2" "$work/$1" || fail "no '$2' in: $(cat "$work/$1")"; }

# complains_once: err is one line.
complains_once() { [ "$(wc -l <"$work/err")" -eq 1 ] || fail "not one line: $(cat "$work/err")"; }
