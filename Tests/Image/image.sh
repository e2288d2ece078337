#!/usr/bin/env bash
# Builds the image of the Dockerfile without a registry, and runs it as an operator would: the demo and the service, as its own
# user, on a root that nobody can write, with its health check, until SIGTERM.
#
#   Tests/Image/image.sh [FOLDER]     FOLDER keeps the base system between runs (default /var/tmp/rewards-image)
#
# The base images are stand-ins: Debian 12 by debootstrap for debian:12-slim, and the same with this machine's Swift toolchain
# for swift:6.3-bookworm. Takes root, debootstrap, podman and crun; Debian has all of them. Takes some ten minutes: the first
# stage runs the unit tests.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-/var/tmp/rewards-image}
tag=localhost/rewards:proof
volume=rewards-proof
name=rewards-proof
toolchain=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")

say() { printf '\n=== %s (after %d s)\n' "$1" "$SECONDS"; }
fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }

for tool in debootstrap podman crun; do
  command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install --no-install-recommends debootstrap podman crun"
done
mkdir -p "$folder"
printf 'unqualified-search-registries = ["docker.io"]\n' >"$folder/registries.conf"
export CONTAINERS_REGISTRIES_CONF="$folder/registries.conf"

# Without a network of its own and without cgroups: neither is what is proved, and not every machine can give them.
start=(--network=host --cgroups=disabled)
build=(--network=host --isolation=chroot --pull=never)
finish() {
  podman rm --force --ignore "$name" >/dev/null 2>&1 || true
  podman volume rm --force "$volume" >/dev/null 2>&1 || true
}
trap finish EXIT
finish

if ! podman image exists docker.io/library/debian:12-slim; then
  say "a base system"
  mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\([^ ]*\) bookworm main.*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null | head -1 || true)
  rm -rf "$folder/debian"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$folder/debian" "${mirror:-http://deb.debian.org/debian}" \
    >"$folder/debootstrap.log" 2>&1 || fail "no base system: see $folder/debootstrap.log"
  # Where this machine gets its packages from, and whom it trusts for that.
  rm -f "$folder/debian/etc/apt/sources.list"
  cp -rL /etc/apt/sources.list* "$folder/debian/etc/apt/" 2>/dev/null || true
  for trusted in /usr/share/keyrings /etc/apt/keyrings; do
    [ ! -d "$trusted" ] || { mkdir -p "$folder/debian$trusted" && cp -r "$trusted/." "$folder/debian$trusted/"; }
  done
  cp -L /etc/ssl/certs/ca-certificates.crt "$folder/debian/etc/ssl/certs/"
  tar -C "$folder/debian" -c . | podman import --quiet - docker.io/library/debian:12-slim
fi

if ! podman image exists docker.io/library/swift:6.3-bookworm; then
  say "the toolchain"
  # What the toolchain itself asks for, as on swift.org.
  podman build "${build[@]}" --tag docker.io/library/swift:6.3-bookworm --volume "$toolchain:/toolchain:ro" \
    --file - "$folder/debian/etc/apt" <<'END'
FROM debian:12-slim
RUN apt-get update && apt-get install --yes --no-install-recommends binutils git libc6-dev libcurl4 libedit2 libgcc-12-dev \
      libpython3.11 libsqlite3-0 libstdc++-12-dev libxml2 libncurses6 libz3-4 zlib1g-dev
RUN cp -a /toolchain /opt/swift
ENV PATH=/opt/swift/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
END
fi

say "both stages of the Dockerfile"
podman build "${build[@]}" --format docker --tag "$tag" .
podman image inspect "$tag" --format 'size {{.Size}}, user {{.User}}, entry {{.Config.Entrypoint}}'
[ "$(podman image inspect "$tag" --format '{{.User}}')" = rewards ] || fail "the image does not run as its own user"

# The program in the image; the root cannot be written, all of it that lasts is the volume.
rewards() {
  podman run --rm "${start[@]}" --read-only --read-only-tmpfs=false --volume "$volume:/data" --env REWARDS_DRAW_SECRET "$tag" "$@"
}
export REWARDS_DRAW_SECRET=$(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')

say "the demo"
rewards demo --data /data/demo
rewards audit --config /data/demo/rewards.json >/dev/null || fail "the demo's ledger does not pass its audit"
owner=$(podman volume inspect "$volume" --format '{{.Mountpoint}}')
[ "$(stat -c %u "$owner/demo")" = 10001 ] || fail "the data belongs to $(stat -c %u "$owner/demo"), not to the image's user"

say "the service"
podman run --detach --name "$name" "${start[@]}" --read-only --read-only-tmpfs=false --volume "$volume:/data" \
  --env REWARDS_DRAW_SECRET "$tag" >/dev/null
for _ in $(seq 60); do
  podman healthcheck run "$name" >/dev/null 2>&1 && break
  sleep 0.5
done
podman healthcheck run "$name" || { podman logs "$name"; fail "the health check does not pass"; }
echo "healthy"
podman exec "$name" sh -c 'touch /proof' 2>/dev/null && fail "the root can be written"
printf '{"user": "a", "timezone": "Asia/Tokyo"}\n' | podman exec --interactive "$name" rewards users import -
begin=$SECONDS
podman stop --time 20 "$name" >/dev/null
code=$(podman inspect "$name" --format '{{.State.ExitCode}}')
echo "stopped by SIGTERM after $((SECONDS - begin)) s with $code"
[ "$code" = 0 ] || { podman logs "$name"; fail "it ended with $code"; }
podman logs "$name" 2>&1 | grep -q stopped || fail "the log does not tell that it stopped"
rewards ledger verify
say "passed"
