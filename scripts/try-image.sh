#!/usr/bin/env bash
# Builds the container image and tries it without a registry of images and without Docker: the bases are made by debootstrap,
# the build is buildah's, and the image runs with a read-only root file system as the user it names. Wants root and Debian.
#
# Checks its size, how soon it is ready, its health check, an upload, and that SIGTERM in the middle of an upload loses nothing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/minimal-debian.sh
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot

MAX_UNPACKED_MB=350
MAX_PACKED_MB=120
# On a machine where Node alone starts within NODE_MS. One that is up to four times slower gets as much more time.
MAX_READY_MS=3000
NODE_MS=40
SLOWEST=4

[ "$(id -u)" -eq 0 ] || { echo 'only root can build an image without an engine' >&2; exit 1; }
missing=()
for program in buildah debootstrap sftp:openssh-client jq; do
	command -v "${program%%:*}" >/dev/null || missing+=("${program##*:}")
done
if [ "${#missing[@]}" -gt 0 ]; then
	apt-get update
	DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}" </dev/null
fi

work=$(mktemp -d "${TMPDIR:-/var/tmp}/tokendrop-image-XXXXXX")
storage=(--root "$work/storage" --runroot "$work/run")
daemon=
leave() {
	[ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null || true
	buildah "${storage[@]}" unmount --all >/dev/null 2>&1 || true
	rm -rf --one-file-system "$work"
}
trap leave EXIT

# The Node that package-lock.json names, with its headers; `npm ci` has installed it.
node=$(dirname "$(dirname "$(ls node_modules/node-*/bin/node 2>/dev/null | head -n 1 || true)")")
node=$(cd "$node" && pwd)
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")

# Makes a base image: its name, then packages beyond the least that Debian can be.
make_base() {
	local name=$1 include=$2 root=$work/$1
	make_minimal_debian "$root" "$work/debootstrap.log" "$include"
	rm -rf "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/* "$root"/usr/share/{doc,man,locale,info}/* "$root"/var/log/*
	install -D -m 755 "$node/bin/node" "$root/usr/local/bin/node"
	if [ -n "$include" ]; then
		mkdir -p "$root/usr/local/lib/node_modules" "$root/usr/local/include"
		cp -aL "$npm" "$root/usr/local/lib/node_modules/npm"
		ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
		cp -a "$node/include/node" "$root/usr/local/include/"
		cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
		# How this machine reaches the registry of packages; this base is no part of the image.
		mkdir -p "$root/usr/local/etc"
		{
			npm config get registry | sed 's/^/registry=/'
			echo nodedir=/usr/local
			if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
				cp -L "$NODE_EXTRA_CA_CERTS" "$root/usr/local/etc/ca.pem"
				echo cafile=/usr/local/etc/ca.pem
			fi
		} >"$root/usr/local/etc/npmrc"
	else
		# What a running program has no use for.
		rm -rf "$root"/usr/share/{bash-completion,common-licenses,lintian,bug,pixmaps,perl5} "$root"/usr/lib/x86_64-linux-gnu/gconv
	fi
	local container
	container=$(buildah "${storage[@]}" from scratch)
	buildah "${storage[@]}" add --quiet "$container" "$root" / >/dev/null
	buildah "${storage[@]}" config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
	buildah "${storage[@]}" commit --quiet --rm "$container" "$name" >/dev/null
	rm -rf --one-file-system "$root"
}
echo '== bases'
make_base tokendrop-base ''
make_base tokendrop-build-base g++,make,python3,ca-certificates

echo '== build'
buildah "${storage[@]}" build --quiet --format docker --build-arg BASE=localhost/tokendrop-base \
	--build-arg BUILD_BASE=localhost/tokendrop-build-base --tag tokendrop . >/dev/null

container=$(buildah "${storage[@]}" from localhost/tokendrop)
root=$(buildah "${storage[@]}" mount "$container")
unpacked=$(du -sm --apparent-size "$root" | cut -f 1)
packed=$(tar -C "$root" -cf - . | gzip -6 | wc -c)
packed=$((packed / 1000000))
echo "unpacked $unpacked MB (at most $MAX_UNPACKED_MB), packed $packed MB (at most $MAX_PACKED_MB)"
[ "$unpacked" -le "$MAX_UNPACKED_MB" ] && [ "$packed" -le "$MAX_PACKED_MB" ]

# What an engine would do: user, environment and command of the image, its root read-only, /tmp in memory, a volume at /data.
config=$(buildah "${storage[@]}" inspect --type image localhost/tokendrop | jq '.Docker.config')
user=$(jq -r .User <<<"$config")
[ "$user" = 10001:10001 ]
[ "$(jq -r .StopSignal <<<"$config")" = SIGTERM ]
mapfile -t env < <(jq -r '.Env[]' <<<"$config")
mapfile -t command < <(jq -r '.Entrypoint[], .Cmd[]' <<<"$config")
mapfile -t health < <(jq -r '.Healthcheck.Test[1:][]' <<<"$config")
[ "${command[0]}" = node ]
mkdir "$work/data"
chown 10001:10001 "$work/data"
chmod 700 "$work/data"
# The program replaces the shells before it, so that a signal to the process is one to the program.
inside() {
	exec unshare --mount sh -c '
		root=$1 data=$2 user=$3; shift 3
		mount --bind "$root" "$root" && mount -o remount,ro,bind "$root" && mount -t proc proc "$root/proc" &&
			mount --rbind /dev "$root/dev" && mount -t tmpfs tmpfs "$root/tmp" && mount --bind "$data" "$root/data" || exit 1
		exec chroot --userspec="$user" "$root" /usr/bin/env -i "$@"
	' inside "$root" "$work/data" "$user" "${env[@]}" sh -c 'cd /app && exec "$@"' sh "$@"
}
start() {
	local from now
	from=$(date +%s%3N)
	(inside "${command[@]}") >"$work/start.log" 2>"$work/daemon.log" &
	daemon=$!
	until grep -q 'Tokendrop is ready' "$work/start.log"; do
		kill -0 "$daemon" 2>/dev/null || { cat "$work/start.log" "$work/daemon.log" >&2; exit 1; }
		sleep 0.02
	done
	now=$(date +%s%3N)
	ready=$((now - from))
}
stop() {
	local from
	from=$(date +%s%3N)
	kill -TERM "$daemon"
	wait "$daemon"
	daemon=
	stopped=$(($(date +%s%3N) - from))
}

echo '== run'
# The quickest of some starts of Node alone, because anything else that runs makes one slower and none quicker.
node_ms=
for _ in $(seq 9); do
	from=$(date +%s%3N)
	(inside node --eval 0)
	took=$(($(date +%s%3N) - from))
	if [ -z "$node_ms" ] || [ "$took" -lt "$node_ms" ]; then node_ms=$took; fi
done
slower_percent=$((node_ms * 100 / NODE_MS))
if [ "$slower_percent" -lt 100 ]; then slower_percent=100; fi
if [ "$slower_percent" -gt $((SLOWEST * 100)) ]; then slower_percent=$((SLOWEST * 100)); fi
max_ready_ms=$((MAX_READY_MS * slower_percent / 100))
start
echo "ready after $ready ms on the first start, which makes keys"
key=$(sed -n 's/^  key  *//p' "$work/start.log")
(inside "${health[@]}")
echo 'healthy'
stop
start
echo "ready after $ready ms (at most $max_ready_ms: Node alone takes $node_ms)"
[ "$ready" -le "$max_ready_ms" ]

printf '#!/bin/sh\nprintf "%%s\\n" "$FIRST_KEY"\n' >"$work/askpass"
chmod 700 "$work/askpass"
talk() {
	printf '%s\n' "$@" >"$work/batch"
	FIRST_KEY=$key SSH_ASKPASS=$work/askpass SSH_ASKPASS_REQUIRE=force sftp -q -P 2022 -o BatchMode=no \
		-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o PreferredAuthentications=password ${limit:-} \
		-b "$work/batch" demo@127.0.0.1
}
fetch() {
	for _ in $(seq 600); do
		if talk "get $1 $2" >/dev/null 2>&1; then return; fi
		sleep 0.2
	done
	echo "$1 did not appear" >&2
	exit 1
}
talk 'put fixtures/SIMPLECSV/01-basic/input.csv /tokenize/SIMPLECSV/first.csv' >/dev/null
fetch /tokenized/SIMPLECSV/first.csv "$work/first.csv"
grep -qE '^[0-9a-f]{32},12,2029,\*\*\*,Visa,MARIE DUPONT,REF-1' "$work/first.csv"
echo 'a file went in and came out with tokens'

# Fifteen megabytes at 400 kB a second: longer than the daemon waits for it, so the stop cuts it off in the middle.
{
	echo CardNumber,ExpirationDate,NameOnCard
	seq 500000 | sed 's#.*#4111111111111111,12/29,MARIE DUPONT#'
} >"$work/large.csv"
(limit='-l 3200' talk "put $work/large.csv /tokenize/CSV/large.csv.part" >"$work/upload.log" 2>&1 || true) &
upload=$!
# The file is there once its upload has begun.
for _ in $(seq 300); do
	if talk 'ls -1 /tokenize/CSV' 2>/dev/null | grep -q large; then break; fi
	sleep 0.1
done
sleep 1
stop
wait "$upload" || true
echo "stopped after $stopped ms with an upload under way (drain time and closing: 35,000 ms)"
[ "$stopped" -le 35000 ]
start
talk "reput $work/large.csv /tokenize/CSV/large.csv.part" 'rename /tokenize/CSV/large.csv.part /tokenize/CSV/large.csv' >/dev/null
fetch /reports/CSV/large.csv.json "$work/large.json"
jq -e '.state == "done" and .bytesRead == '"$(stat -c %s "$work/large.csv")" "$work/large.json" >/dev/null ||
	{ jq '{state, bytesRead, error}' "$work/large.json" >&2; exit 1; }
fetch /tokenized/SIMPLECSV/first.csv "$work/again.csv"
cmp "$work/first.csv" "$work/again.csv"
stop
echo 'The upload went on where it was, and nothing was lost.'
