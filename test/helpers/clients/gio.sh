# Runs GNOME's gio for the tests, with a message bus of its own. It reads a verb and its arguments from each line, and answers
# with a line that begins with `ok` or `failed`.

at="sftp://$TEST_USER@127.0.0.1:$TEST_PORT"

answer() {
	if [ "$1" -eq 0 ]; then printf 'ok%s\n' "$2"; else printf 'failed\t%s\n' "$(printf %s "$2" | tr -s '\n\t' '  ')"; fi
}

# gio shares connections between sessions whose caches are the same. Sockets are in there, whose paths have to be short.
XDG_CACHE_HOME=$(mktemp -d)
trap 'rm -rf "$XDG_CACHE_HOME"' EXIT
export XDG_CACHE_HOME XDG_RUNTIME_DIR=$XDG_CACHE_HOME
# Nobody looks for volumes, and nothing but errors is said.
export GVFS_REMOTE_VOLUME_MONITOR_IGNORE=1 GIO_USE_VOLUME_MONITOR=unix
export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_CACHE_HOME/bus
# The bus ends with this script, also if that is killed, and everything on the bus ends with the bus.
setpriv --pdeathsig TERM dbus-daemon --session --nofork --nopidfile --address="$DBUS_SESSION_BUS_ADDRESS" >/dev/null 2>&1 &
until [ -S "$XDG_CACHE_HOME/bus" ]; do sleep 0.05; done
[ -z "${TEST_KEY:-}" ] || ssh-add -q "$TEST_KEY" || exit 1

names() {
	local listed
	listed=$(gio list "$at$1" 2>&1) || { printf %s "$listed"; return 1; }
	[ -z "$listed" ] || printf '\t%s' $listed
}

# gio cannot resume an upload, so this appends what is missing, as a user's script would.
resume() {
	local size
	size=$(gio info -a standard::size "$at$2" | sed -n 's/.*standard::size: //p') &&
		tail -c "+$((size + 1))" "$1" | gio save --append "$at$2"
}

carry_out() {
	case $1 in
	put) gio copy "$2" "$at$3" ;;
	resume) resume "$2" "$3" ;;
	rename) gio move "$at$2" "$at$3" ;;
	get) gio copy "$at$2" "$3" ;;
	names) names "$2" ;;
	esac
}

said=$(printf '%s\n' "${TEST_PASSWORD:-}" | gio mount "$at" 2>&1)
outcome=$?
[ "$outcome" -eq 0 ] || { answer 1 "$said"; exit 1; }
answer 0
while IFS=$'\t' read -r -a words; do
	said=$(carry_out "${words[@]}" 2>&1 </dev/null)
	answer $? "$said"
done
