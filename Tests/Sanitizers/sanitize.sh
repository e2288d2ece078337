#!/usr/bin/env bash
# Runs the tests under the sanitizers; a report of one fails the run.
#
#   sanitize.sh [thread] [memory] [--filter REGEX]...
#
# thread: Thread Sanitizer over all unit tests but the thorough damage, in which one thread does the same ten thousand times.
# memory: Address Sanitizer (with leaks), and Undefined-Behaviour Sanitizer in C, over the borders to C: what speaks to libcurl, libmicrohttpd,
#         libcrypto, libzstd, libpq and the system. Both by default.
# --filter: only these tests, as `swift test --filter` has it.
#
# Each has a build folder of its own, .build/sanitize-…; the first build takes some minutes. Suppressions are reports that were proven
# false, with the proof beside them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."

# The targets whose code calls C, by their tests.
borders=(
  'CheerAPITests' 'SandboxTests' 'WebhookTests' 'FCMTests' 'ControlTests'   # HTTP client and server, libcrypto
  'LedgerDatabaseTests'                                                     # libpq
  'LedgerStoreTests'                                                        # files, libzstd, libcrypto
  'CivilTimeTests.*Zone' 'StrictJSONTests' 'DoctorTests'                    # zone files, bytes, children
)

modes=() filters=()
while [ $# -gt 0 ]; do
  case $1 in
    thread | memory) modes+=("$1") ;;
    --filter) filters+=("${2:?--filter takes a pattern}"); shift ;;
    *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
  esac
  shift
done
[ ${#modes[@]} -gt 0 ] || modes=(thread memory)

reports=$(mktemp -d)
trap 'rm -rf "$reports"' EXIT

# Runs tests in mode $1, built with the flags that follow up to `--`; patterns follow that.
run() {
  local mode=$1 flags=() patterns=()
  shift
  while [ "$1" != -- ]; do flags+=("$1"); shift; done
  shift
  for pattern in "$@"; do patterns+=(--filter "$pattern"); done
  printf '\n=== %s\n' "$mode"
  local output="$reports/$mode.log"
  swift test --disable-xctest --scratch-path ".build/sanitize-$mode" "${flags[@]}" ${patterns[@]+"${patterns[@]}"} 2>&1 |
    tee "$output" | grep -E '^(error|warning)|recorded an issue|Test run with|SUMMARY:' | cut -c1-300 || true
  # A filter that matches nothing, and a process that ended before its end, must not pass.
  local ran
  ran=$(sed -n 's/.*Test run with \([0-9]*\) tests\{0,1\}.* passed.*/\1/p' "$output" | tail -1)
  cat "$reports/$mode".[0-9]* 2>/dev/null || true
  local found
  found=$(cat "$output" "$reports/$mode".[0-9]* 2>/dev/null |
    grep -cE '^(WARNING: ThreadSanitizer|==[0-9]+==ERROR: |.*: runtime error: )' || true)
  if [ "$found" -gt 0 ] || [ "${ran:-0}" -eq 0 ]; then
    [ "$found" -gt 0 ] || tail -40 "$output" | cut -c1-300
    printf 'FAILED: %s: %s reports, %s tests passed\n' "$mode" "$found" "${ran:-0}"
    return 1
  fi
  printf 'passed: %s: 0 reports in %s tests\n' "$mode" "$ran"
}

failed=0
for mode in "${modes[@]}"; do
  case $mode in
    thread)
      export TSAN_OPTIONS="suppressions=$here/thread.txt log_path=$reports/thread second_deadlock_stack=1"
      run thread --sanitize=thread --skip ThoroughDamageTests -- ${filters[@]+"${filters[@]}"} || failed=1
      ;;
    memory)
      export ASAN_OPTIONS="log_path=$reports/memory detect_leaks=1 strict_string_checks=1"
      export LSAN_OPTIONS="suppressions=$here/leaks.txt print_suppressions=0"
      export UBSAN_OPTIONS="print_stacktrace=1"
      patterns=(${filters[@]+"${filters[@]}"})
      [ ${#patterns[@]} -gt 0 ] || patterns=("${borders[@]}")
      # Undefined behaviour is looked for in C alone, headers among it: Swift's compiler knows no such sanitizer.
      run memory --sanitize=address -Xcc -fsanitize=undefined -- "${patterns[@]}" || failed=1
      ;;
  esac
done
exit "$failed"
