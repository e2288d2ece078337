#!/usr/bin/env bash
# Builds both stages of the Dockerfile without a registry, and proves what the image promises.
#
#   image.sh [--without-tests] [--keep]
#
# The bases are made here: Debian by debootstrap from the machine's archive, and on it the machine's own Swift toolchain, which is
# mounted. Then the container runs `demo` and `serve` as its user, with a root file system that nobody can write: the health check
# says healthy, SIGTERM ends the service with 0, and what was written is there at the next start.
#
# Works as root, in some 20 minutes on two cores, most of them for the build and the tests of the first stage: --without-tests leaves
# the latter out. --keep leaves the images, and the next run takes the bases that are there.
set -euo pipefail
cd "$(dirname "$0")/../.."

keep='' skipped=''
for word in "$@"; do
  case $word in
    --keep) keep=yes ;;
    --without-tests) skipped='^RUN swift test' ;;
    *) sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 64 ;;
  esac
done
[ "$(id -u)" -eq 0 ] || { echo "making base images takes root" >&2; exit 77; }

say() { printf '\n=== %s (after %d s)\n' "$1" "$SECONDS"; }
passed() { printf 'passed: %s\n' "$1"; }
failed() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }

toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
place=$(mktemp -d)
container=rewards-image-test-$$
volume=rewards-image-test-$$
image=localhost/rewards-image-test
# The runtime that works beside either kind of control groups, within the limits that we have ourselves.
limits=(--ulimit "nofile=1024:1024" --ulimit "nproc=4096:4096")
podman() { command podman --runtime runc "$@"; }
build() { podman build --quiet --isolation chroot --network host "${limits[@]}" "$@"; }

clean() {
  podman rm --force --ignore "$container" >/dev/null 2>&1 || true
  podman volume rm --force "$volume" >/dev/null 2>&1 || true
  [ -n "$keep" ] || podman rmi --force "$image" swift:6.3-bookworm debian:12-slim >/dev/null 2>&1 || true
  rm -rf "$place"
}
trap clean EXIT

say "install"
.ci/install podman runc debootstrap

say "bases"
make_bases() {
  debootstrap --variant=minbase --include=ca-certificates bookworm "$place/debian" >"$place/log" 2>&1 ||
    { tail -5 "$place/log" >&2; failed "debootstrap"; }
  # The archive is reached as the machine reaches it: its sources, proxies and authorities.
  cp -r /etc/apt/apt.conf.d/. "$place/debian/etc/apt/apt.conf.d/"
  if [ -f /etc/apt/apt.conf ]; then cp /etc/apt/apt.conf "$place/debian/etc/apt/"; fi
  rm -f "$place/debian/etc/apt/sources.list"
  grep -lr debian /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null |
    xargs -r -I{} cp {} "$place/debian/etc/apt/sources.list.d/" || true
  [ -n "$(ls "$place/debian/etc/apt/sources.list.d")" ] ||
    echo 'deb http://deb.debian.org/debian bookworm main' >"$place/debian/etc/apt/sources.list"
  cp -r /usr/local/share/ca-certificates/. "$place/debian/usr/local/share/ca-certificates/"
  cp /etc/ssl/certs/ca-certificates.crt "$place/debian/etc/ssl/certs/"
  tar -C "$place/debian" -c . | podman import --quiet - docker.io/library/debian:12-slim >/dev/null
  rm -rf "$place/debian"
  printf '%s\n' \
    'FROM docker.io/library/debian:12-slim' \
    'RUN apt-get update && apt-get install --yes --no-install-recommends binutils git libc6-dev libcurl4 \
     libedit2 libgcc-12-dev libncurses6 libpython3.11 libsqlite3-0 libstdc++-12-dev libxml2 libz3-4 \
     python3-minimal tzdata zlib1g-dev && rm -rf /var/lib/apt/lists/*' \
    "ENV PATH=$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" >"$place/Dockerfile"
  build --pull=never --tag docker.io/library/swift:6.3-bookworm --file "$place/Dockerfile" "$place" >"$place/log" 2>&1 ||
    { tail -20 "$place/log" >&2; failed "the base with Swift"; }
}
if podman image exists debian:12-slim && podman image exists swift:6.3-bookworm; then
  echo "those that are there"
else
  make_bases
fi

say "both stages"
grep -v "${skipped:-^$}" Dockerfile >"$place/Dockerfile"
build --pull=never --format docker --volume "$toolchain:$toolchain:ro" --tag "$image" \
  --file "$place/Dockerfile" . >"$place/log" 2>&1 ||
  { tail -40 "$place/log" | cut -c1-300 >&2; failed "the build"; }
passed "both stages are built${skipped:+, without the tests}"

# The image, with a root file system that nobody can write, and no network but its own.
run() {
  podman run --read-only --tmpfs /tmp --network none --log-driver k8s-file "${limits[@]}" --volume "$volume:/data" "$@"
}

say "who runs"
[ "$(run --rm --entrypoint id "$image" -un)" = rewards ] || failed "the program's user is not rewards"
if run --rm --entrypoint touch "$image" /usr/local/bin/other 2>/dev/null; then failed "the root file system can be written"; fi
passed "the user is rewards, the root file system is read-only"

say "demo"
run --rm "$image" demo --data /data/demo --users 30 --days 3 >"$place/log" 2>&1 ||
  { cat "$place/log" >&2; failed "the demo"; }
[ "$(grep -c '^  passed' "$place/log")" -eq 8 ] || { cat "$place/log" >&2; failed "a check of the demo"; }
run --rm "$image" demo --data /data/again --users 30 --days 3 >/dev/null 2>&1
run --rm --entrypoint diff "$image" --recursive /data/demo/data/ledger /data/again/data/ledger ||
  failed "the same seed wrote another ledger"
passed "the demo's checks, and the same bytes the second time"

say "serve"
serve() {
  run --detach --name "$container" --env "REWARDS_DRAW_SECRET=$1" "$image" >/dev/null
  for _ in $(seq 60); do
    if podman healthcheck run "$container" >/dev/null 2>&1; then return; fi
    sleep 1
  done
  podman logs "$container" >&2
  failed "the service is not healthy after a minute"
}
stop() {
  podman stop --time 30 "$container" >/dev/null
  local code
  code=$(podman inspect --format '{{.State.ExitCode}}' "$container")
  [ "$code" -eq 0 ] || { podman logs "$container" >&2; failed "SIGTERM ended the service with $code"; }
  podman logs "$container" 2>&1 | grep -q 'event=stopped' || failed "the service did not say that it stopped"
  podman rm "$container" >/dev/null
}
secret=$(head -c 32 /dev/urandom | base64)
serve "$secret"
passed "serve is healthy by the image's own check"
podman exec "$container" sh -c 'ps >/dev/null 2>&1; cat /proc/1/comm' | grep -q '^rewards' || failed "the first process is another"
first=$(podman exec "$container" rewards ledger head)
stop
passed "SIGTERM ends it with 0"
serve "$secret"
[ "$(podman exec "$container" rewards ledger head | cut -d: -f1)" -ge "$(cut -d: -f1 <<<"$first")" ] ||
  failed "a second start has lost records"
podman exec "$container" rewards ledger verify >/dev/null || failed "the ledger is not intact"
stop
passed "the data outlives the container"

say "done"
