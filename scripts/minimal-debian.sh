# Sourced by the scripts that try Tokendrop on a Debian of their own.
# shellcheck shell=bash

# Makes the least that Debian can be: its folder, a file for the log, then packages beyond that, parted by commas.
# It comes from the mirror that this machine installs from, where it is a Debian too.
make_minimal_debian() {
	local root=$1 log=$2 include=${3:-} mirror=
	if grep -qx 'ID=debian' /etc/os-release 2>/dev/null; then
		mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
			sed -nE 's/^(URIs:|deb( \[[^]]*\])?) +(https?:[^ ]+).*/\3/p' | grep -v security | head -n 1 || true)
	fi
	debootstrap --variant=minbase ${include:+--include="$include"} bookworm "$root" \
		"${mirror:-http://deb.debian.org/debian}" >"$log" 2>&1 || { tail -n 20 "$log" >&2; return 1; }
}
