#!/bin/sh
# `recloser check` and `recloser convert`: exit statuses, texts, JSON. Usage: policy_commands_test.sh RECLOSER SOURCE_FOLDER
set -eu
recloser=$1
source=$2
# shellcheck source=test/tools/recloser.sh
. "$(dirname "$0")/recloser.sh"

# The example that is shipped is good, by itself and to the letter.
exits 0 check --strict "$source/examples/policies.json"
says out 'examples/policies.json: good, hash [0-9a-f]\{16\}$'
says out '^  method orders.Orders/List$'
says out '^target dns:///payments.example:443$'
awk 'length > 100 { exit 1 }' "$work/out" || fail 'a line of more than 100 columns'

# So is the example in the documentation.
awk '/^```json/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/api.md" >"$work/documented.json"
exits 0 check --strict "$work/documented.json"
says out '^  service orders.Orders$'

# What --json prints is the whole set, and JSON.
exits 0 check --json "$source/examples/policies.json"
says out '"probe_interval_max": "2s"'
if command -v python3 >/dev/null; then
  python3 - "$work/out" "$work/whole.json" <<'PYTHON'
import json, sys
report = json.load(open(sys.argv[1]))
json.dump(report["files"][0]["policies"], open(sys.argv[2], "w"))
PYTHON
  exits 0 check --json "$work/whole.json"
  [ "$(sed 's/"hash": "[^"]*", //; s/"file": "[^"]*", //' "$work/out")" = \
    "$("$recloser" check --json "$source/examples/policies.json" | sed 's/"hash": "[^"]*", //; s/"file": "[^"]*", //')" ] ||
    fail 'the whole set, read again, is another one'
fi

# Bad files: one line each on stderr, and the good ones are still told of.
printf '{"method_config": [{"name": [{}]}, {"name": [{"service": "a.B"}], "retry": {"max_attempts": 0}}]}' >"$work/bad.json"
exits 2 check "$work/bad.json" "$source/examples/policies.json"
says err "^recloser: $work/bad.json: method_config\[1\].retry.max_attempts: 0 is not allowed; must be from 1 to 100$"
complains_once
says out 'policies.json: good'
exits 2 check --json "$work/bad.json"
says out '"error": ".*max_attempts: 0 is not allowed'
exits 2 check "$work/none.json"
exits 2 check

# Warnings.
printf 'method_config { name {} retry { mode: ALWAYS } }' >"$work/unwise.txtpb"
exits 0 check "$work/unwise.txtpb"
says out '^warning: defaults: retry.mode ALWAYS'
exits 1 check --strict "$work/unwise.txtpb"

# Parts of the application.
printf '{"method_config": [{"name": [{}], "breaker": {"custom": "mine", "classify": "ours"}}]}' >"$work/parts.json"
exits 2 check "$work/parts.json"
exits 2 check --part mine "$work/parts.json"
says err 'breaker.classify: "ours" is not allowed'
exits 0 check --part mine --part ours "$work/parts.json"
says out "the application's own: mine"

# The services' descriptors, if there is a compiler for them.
if command -v protoc >/dev/null; then
  cat >"$work/shop.proto" <<'PROTO'
syntax = "proto3";
package shop;
message Nothing {}
service Cart {
  rpc Get(Nothing) returns (Nothing) { option idempotency_level = NO_SIDE_EFFECTS; }
  rpc Put(Nothing) returns (Nothing);
}
PROTO
  protoc -I "$work" --descriptor_set_out="$work/shop.pb" shop.proto
  exits 1 check --strict --descriptors "$work/shop.pb" "$work/unwise.txtpb"
  says out 'not declared idempotent: shop.Cart/Put'
  says out '^  shop.Cart/Get follows the entry of every method$'
fi
exits 2 check --descriptors "$work/none.pb" "$work/unwise.txtpb"

# A service config becomes a file that is good, and the two together make a warning.
cat >"$work/service_config.json" <<'JSON'
{"methodConfig": [{"name": [{"service": "shop.Cart"}], "timeout": "2s", "waitForReady": true,
  "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s", "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}}]}
JSON
exits 0 convert "$work/service_config.json"
says err 'methodConfig\[0\].waitForReady: has no equivalent'
cp "$work/out" "$work/converted.json"
exits 0 check "$work/converted.json"
says out '    deadline          2s$'
exits 1 check --strict --service-config "$work/service_config.json" "$work/converted.json"
says out 'warning: shop.Cart: the service config has a retryPolicy here'
printf '{"methodConfig": 3}' >"$work/bad_config.json"
exits 2 convert "$work/bad_config.json"
says err 'methodConfig: 3.* is not allowed; must be a list'
exits 2 check --service-config "$work/bad_config.json" "$work/converted.json"
