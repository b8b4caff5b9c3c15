// Provides the library that merchants' pages load. Each version has a file of its own, which never changes after its
// release, because pages compare it with a hash.

import { readFileSync } from 'node:fs';
import { type ServedBytes, servedBytes } from './assets.ts';

/** The versions of the library, oldest first. All of them are served. */
export const LIBRARY_VERSIONS = [1] as const;
const NEWEST = LIBRARY_VERSIONS.at(-1)!;

export interface LibraryFile extends ServedBytes {
	readonly contentType: string;
	/** True if the name of the file includes its version, so that browsers may keep the file for ever. */
	readonly isLasting: boolean;
}

const TYPES = { js: 'text/javascript; charset=utf-8', 'd.ts': 'text/plain; charset=utf-8' } as const;
const files = new Map<string, LibraryFile>();

/** Returns a file by its name: `tokendrop-1.js`, or `tokendrop.js` for the newest version. */
export function findLibraryFile(name: string): LibraryFile | undefined {
	const [, version, extension] = /^tokendrop(?:-(\d+))?\.(js|d\.ts)$/.exec(name) ?? [];
	if (extension === undefined) return undefined;
	const number = version === undefined ? NEWEST : Number(version);
	if (!(LIBRARY_VERSIONS as readonly number[]).includes(number)) return undefined;
	let file = files.get(name);
	if (!file) {
		const bytes = readFileSync(new URL(`./library/tokendrop-${number}.${extension}`, import.meta.url));
		file = {
			contentType: TYPES[extension as keyof typeof TYPES],
			...servedBytes(bytes),
			isLasting: version !== undefined,
		};
		files.set(name, file);
	}
	return file;
}
