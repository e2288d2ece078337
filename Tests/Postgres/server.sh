#!/usr/bin/env bash
# A PostgreSQL server of its own in FOLDER/server, with its socket in FOLDER and no address, until this script's input ends:
#   server.sh FOLDER [SETTING=VALUE…]
# Prints "ready" when it takes connections; each line of the input has it break down and start again, which prints "ready" once
# more. Superuser `rewards`, no password. Root starts it as the account `postgres`.
set -euo pipefail
folder=$1
shift
programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1)
if [ -z "$programs" ]; then
  echo "no PostgreSQL server is installed: .ci/install postgresql" >&2
  exit 77
fi
as_owner=()
if [ "$(id -u)" -eq 0 ]; then
  as_owner=(setpriv --reuid=postgres --regid=postgres --clear-groups)
  chown postgres "$folder"
fi
cd "$folder"
settings=(-c listen_addresses= -c "unix_socket_directories=$folder")
for setting in "$@"; do settings+=(-c "$setting"); done
if [ ! -d "$folder/server" ]; then
  "${as_owner[@]}" "$programs/initdb" --pgdata="$folder/server" --username=rewards --auth=trust \
    --encoding=UTF8 --locale=C.UTF-8 --no-sync >/dev/null
fi
"${as_owner[@]}" "$programs/pg_ctl" --pgdata="$folder/server" --log="$folder/log" --wait \
  --options="${settings[*]}" start >/dev/null
trap '"${as_owner[@]}" "$programs/pg_ctl" --pgdata="$folder/server" --mode=immediate stop >/dev/null' EXIT
echo ready
while read -r; do
  "${as_owner[@]}" "$programs/pg_ctl" --pgdata="$folder/server" --log="$folder/log" --wait --mode=immediate restart >/dev/null
  echo ready
done
