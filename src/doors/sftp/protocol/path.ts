import { maxPathBytes } from './packet.ts';

/** This error is thrown if a client gives a name that no file may have; its message tells the client why. */
export class RefusedPath extends Error {
	override readonly name = 'RefusedPath';
}

// ignoreBOM keeps a leading U+FEFF as part of the name, because two different names must never be read as one.
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Returns the absolute, normalised path for the path that a client sent; a relative path starts at the root. Only the
 * text is examined and not the tree of files, because the tree has no links that could lead elsewhere.
 * @throws RefusedPath if no file may have such a path
 */
export function parsePath(bytes: Buffer): string {
	if (bytes.length > maxPathBytes) throw new RefusedPath(`file names may have ${maxPathBytes} bytes at most`);
	if (bytes.includes(0)) throw new RefusedPath('file names must not contain NUL');
	return normalise(decode(bytes));
}

function decode(bytes: Buffer): string {
	try {
		return strictUtf8.decode(bytes);
	} catch (cause) {
		throw new RefusedPath('file names must be UTF-8', { cause });
	}
}

function normalise(path: string): string {
	const parts: string[] = [];
	for (const part of path.split('/')) {
		if (part === '..') parts.pop();
		else if (part !== '' && part !== '.') parts.push(part);
	}
	return `/${parts.join('/')}`;
}
