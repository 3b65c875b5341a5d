#!/bin/sh
# against_echo_server.sh SERVER CLIENT...: starts the echo server on a free port and runs each client against it.
set -eu
server=$1
shift
log=$(mktemp)
"$server" --listen 127.0.0.1:0 --metrics off >"$log" &
pid=$!
trap 'kill "$pid"; wait "$pid" || true; rm -f "$log"' EXIT
tries=0
until grep -q '^ready$' "$log"; do
  tries=$((tries + 1))
  if [ "$tries" -gt 100 ] || ! kill -0 "$pid"; then
    echo 'the server did not start' >&2
    exit 1
  fi
  sleep 0.1
done
target=$(sed -n 's/^listening echo //p' "$log")
for client in "$@"; do
  "$client" "$target"
done
