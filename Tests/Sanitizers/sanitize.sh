#!/usr/bin/env bash
# Runs unit tests of a program that watches itself: for races, for wrong memory, for what C leaves undefined.
#
#   Tests/Sanitizers/sanitize.sh [thread|address|undefined]... [-- FILTER]
#
# All three by default, each built into a folder of its own. Threads are watched over all that runs side by side; memory and
# undefined behaviour over the borders to C. FILTER is one of swift test instead. Reports lie in .build/sanitizers; ends with 1
# when there is one, or when a test fails. Takes an hour on two cores.
set -euo pipefail
cd "$(dirname "$0")/../.."
.ci/install

# Services, writers, relays, clients and servers; what runs one after the other has no races.
threads='LedgerStoreTests|NotificationRelayTests|SchedulingTests.Writer|OperationsTests|CheerAPITests|SandboxTests|ControlTests|WebhookTests|FCMTests'
# Who calls libcurl, libcrypto, libmicrohttpd, libzstd and the C of our own.
borders='CheerAPITests|SandboxTests|ControlTests|WebhookTests|FCMTests|PackingTests|SealedLogTests|FaultTests|ProcessTests|DigestTests'

which=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  which+=("$1")
  shift
done
[ $# -eq 0 ] || shift
wanted=${1:-}
reports=$PWD/.build/sanitizers
mkdir -p "$reports"
failed=0

for sanitizer in "${which[@]:-thread address undefined}"; do
  for one in $sanitizer; do
    folder=.build/$one
    filter=${wanted:-$borders}
    [ "$one" != thread ] || filter=${wanted:-$threads}
    rm -f "$reports/$one".*
    printf '\n=== %s (after %d s)\n' "$one" "$SECONDS"
    swift build --build-tests --sanitize="$one" --scratch-path "$folder"
    # What is still held at the end belongs to the process: a program that ends gives nothing back.
    options="log_path=$reports/$one:exitcode=0"
    ASAN_OPTIONS="$options:detect_leaks=0" TSAN_OPTIONS="$options:report_signal_unsafe=0" \
      UBSAN_OPTIONS="$options:print_stacktrace=1" \
      "$folder/debug/rewardsPackageTests.xctest" --testing-library swift-testing --filter "$filter" \
      >"$reports/$one.tests" 2>&1 || { failed=1; grep -a '✘' "$reports/$one.tests" | head -20; }
    tail -1 "$reports/$one.tests"
    found=$(find "$reports" -name "$one.*" ! -name '*.tests' | wc -l)
    echo "$one: $found reports"
    [ "$found" -eq 0 ] || { failed=1; head -40 "$reports/$one".[0-9]*; }
  done
done
exit "$failed"
