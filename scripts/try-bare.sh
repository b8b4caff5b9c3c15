#!/usr/bin/env bash
# Tries the README's two commands and its first upload on a machine that has Node and nothing else: a minimal Debian in a
# folder, made by debootstrap, with this machine's Node and a clone of this repository in it. Wants root and Debian.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. scripts/minimal-debian.sh

[ "$(id -u)" -eq 0 ] || { echo 'only root can change into another root folder' >&2; exit 1; }
missing=()
command -v debootstrap >/dev/null || missing+=(debootstrap)
command -v sftp >/dev/null || missing+=(openssh-client)
if [ "${#missing[@]}" -gt 0 ]; then
	apt-get update
	DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}" </dev/null
fi

work=$(mktemp -d "${TMPDIR:-/var/tmp}/tokendrop-bare-XXXXXX")
root=$work/root
home=/home/agency
daemon=
# Every process below one, parents first.
below() {
	local child
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do
		echo "$child"
		below "$child"
	done
}
leave() {
	local process
	if [ -n "$daemon" ]; then
		for process in $(below "$daemon"); do kill -KILL "$process" 2>/dev/null || true; done
	fi
	rm -rf --one-file-system "$work"
}
trap leave EXIT

make_minimal_debian "$root" "$work/debootstrap.log"

# Node with npm as its own archive would bring them, and how this machine reaches the registry of packages.
node=$(node -p 'process.execPath')
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
install -D -m 755 "$node" "$root/usr/local/bin/node"
mkdir -p "$root/usr/local/lib/node_modules"
cp -aL "$npm" "$root/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$root/usr/local/bin/npx"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
variables=(HOME=$home PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 CI=1)
npm config get registry | sed 's/^/registry=/' >"$root/etc/npmrc"
variables+=(npm_config_globalconfig=/etc/npmrc)
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then
	install -D -m 644 "$NODE_EXTRA_CA_CERTS" "$root/etc/extra-ca.pem"
	variables+=(NODE_EXTRA_CA_CERTS=/etc/extra-ca.pem)
fi

chroot "$root" useradd --create-home --home-dir "$home" agency
git clone -q . "$root$home/tokendrop"
chroot "$root" chown -R agency: "$home"

# Becomes a command in the bare machine, of a user who is nobody special, with a /proc and a /dev of its own.
bare() {
	exec unshare --mount --pid --fork bash -c '
		root=$1; shift
		mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" && mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
		exec chroot --userspec=agency "$root" /usr/bin/env -i "$@"
	' bare "$root" "${variables[@]}" sh -c "cd $home/tokendrop && $1"
}

echo '== npm ci && npm test'
(bare 'npm ci') 2>&1 | tee "$work/install.log"
if grep -q EBADENGINE "$work/install.log"; then
	echo 'the install warns of engines' >&2
	exit 1
fi
(bare 'npm test') 2>&1 | tee "$work/test.log"

echo '== npm ci && npm start, and the first upload'
(bare 'npm start') >"$work/start.log" 2>&1 &
daemon=$!
# Waits as long as the daemon lives: RSA keys on a slow machine take their time.
while true; do
	if grep -q '^  key ' "$work/start.log" || ! kill -0 "$daemon" 2>/dev/null; then break; fi
	sleep 0.2
done
cat "$work/start.log"
key=$(sed -n 's/^  key  *//p' "$work/start.log")
printf '#!/bin/sh\nprintf "%%s\\n" "$FIRST_KEY"\n' >"$work/askpass"
chmod 700 "$work/askpass"
talk() {
	printf '%s\n' "$@" >"$work/batch"
	FIRST_KEY=$key SSH_ASKPASS=$work/askpass SSH_ASKPASS_REQUIRE=force sftp -q -P 2022 -o BatchMode=no \
		-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o PreferredAuthentications=password \
		-b "$work/batch" demo@127.0.0.1
}
talk 'put fixtures/SIMPLECSV/01-basic/input.csv /tokenize/SIMPLECSV/first.csv'
for _ in $(seq 300); do
	if talk "get /tokenized/SIMPLECSV/first.csv $work/first.csv" >/dev/null 2>&1; then break; fi
	sleep 0.2
done
talk "get /reports/SIMPLECSV/first.csv.json $work/"
cat "$work/first.csv"
grep -qE '^[0-9a-f]{32},12,2029,\*\*\*,Visa,MARIE DUPONT,REF-1' "$work/first.csv"
grep -q '"state": *"done"' "$work/first.csv.json"

# The signal is for npm, as from a terminal or a supervisor: what made its room, and the shell in there, pass none on.
for process in $(below "$daemon"); do
	if tr '\0' ' ' <"/proc/$process/cmdline" | grep -q '^npm start'; then kill -TERM "$process"; fi
done
# A stop takes 35 seconds at most, and npm has to notice it.
for _ in $(seq 300); do
	kill -0 "$daemon" 2>/dev/null || break
	sleep 0.2
done
if kill -0 "$daemon" 2>/dev/null; then
	echo 'npm start did not end on SIGTERM' >&2
	exit 1
fi
daemon=
echo 'Both commands and the first upload work on a machine with Node alone.'
