import type { TreeAttributes, TreeEntry } from '../../../work/folders/tree.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const halfYearMs = 182 * 24 * 3600 * 1000;

/**
 * Formats one line of `ls -l`, which the draft of SFTP calls the longname. Clients show it and some parse it. Times are
 * UTC.
 */
export function formatLongName(entry: TreeEntry, owner: string, now: Date): string {
	const links = entry.kind === 'directory' ? 2 : 1;
	const size = String(entry.size).padStart(12);
	const who = ownerName(owner).padEnd(8);
	return `${formatMode(entry)} ${String(links).padStart(4)} ${who} ${who} ${size} ${formatTime(entry.modifiedAt, now)} ${entry.name}`;
}

function formatMode({ kind, mode }: TreeAttributes): string {
	const bits = [...'rwxrwxrwx'].map((letter, index) => (mode & (0o400 >> index) ? letter : '-'));
	return (kind === 'directory' ? 'd' : '-') + bits.join('');
}

/** Shows a time as `ls` does: a time within the last half year with the hour, any other time with the year. */
function formatTime(time: Date, now: Date): string {
	const day = `${months[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2)}`;
	const ageMs = now.getTime() - time.getTime();
	if (ageMs < 0 || ageMs > halfYearMs) return `${day} ${String(time.getUTCFullYear()).padStart(5)}`;
	return `${day} ${time.toISOString().slice(11, 16)}`;
}

/** Returns the owner as one word, because clients split the columns at blanks. */
function ownerName(owner: string): string {
	return owner.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 32) || '-';
}
