#!/bin/sh
# A short live run of two arms, compared with the simulator: live_test.sh RECLOSER SCENARIO.
set -eu
recloser=$1
scenario=$2
fail() {
  echo "FAILED: $*" >&2
  exit 1
}
status=0
output=$("$recloser" evaluate --scenario "$scenario" --arm none --arm adaptive --pattern breaker+timeout --warm-up 3 --check) || status=$?
echo "$output"
# Twice too late on a machine that is busy with other things: there is nothing to compare, which is not the same as a failure.
case $output in *'NOT JUDGED'*) exit 77 ;; esac
[ "$status" -eq 0 ] || fail "exit status $status"
case $output in *'1 of 1 agree'*) ;; *) fail 'no agreement told' ;; esac

# What can't be played is refused with the field, before anything starts.
status=0
error=$("$recloser" evaluate --scenario S14-chain-S1 2>&1) || status=$?
[ "$status" -eq 2 ] || fail "a chain: exit status $status: $error"
case $error in *services:*) ;; *) fail "a chain: $error" ;; esac
