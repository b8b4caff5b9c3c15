// Provides the files that pages load: scripts and style sheets of the folder `assets`. They are read once, and their
// paths contain a hash of their content, so that browsers may keep them for ever.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { constants, gzipSync } from 'node:zlib';
import { isNoEntry } from '../errors.ts';

const FOLDER = new URL('./assets/', import.meta.url);
const HASH_CHARACTERS = 16;

export interface ServedBytes {
	readonly bytes: Buffer;
	readonly gzipped: Buffer;
	/** The hash with which browsers compare the file (subresource integrity). */
	readonly integrity: string;
}

export interface Asset extends ServedBytes {
	/** The path that pages load, such as `/assets/card-form-<hash>.js`. */
	readonly path: string;
	readonly contentType: string;
}

const TYPES: Readonly<Record<string, string>> = {
	'.js': 'text/javascript; charset=utf-8',
	'.css': 'text/css; charset=utf-8',
};

const assets = new Map<string, Asset>();

/** Returns a file of the folder `assets` by its name, such as `card-form.js`. A script includes all that it imports. */
export function getAsset(name: string): Asset {
	let asset = assets.get(name);
	if (asset === undefined) {
		asset = assetOf(name, Buffer.from(readJoined(name)));
		assets.set(name, asset);
	}
	return asset;
}

/** Returns the asset at a path, or undefined if no file has this name and hash. */
export function findAsset(path: string): Asset | undefined {
	const [, stem, , extension] = /^\/assets\/([a-z-]+)-([0-9a-f]+)(\.\w+)$/.exec(path) ?? [];
	for (const asset of assets.values()) if (asset.path === path) return asset;
	if (stem === undefined || !(extension in TYPES)) return undefined;
	try {
		const asset = getAsset(stem + extension);
		return asset.path === path ? asset : undefined;
	} catch (err) {
		if (isNoEntry(err)) return undefined;
		throw err;
	}
}

export function servedBytes(bytes: Buffer): ServedBytes {
	return {
		bytes,
		gzipped: gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
		integrity: `sha384-${createHash('sha384').update(bytes).digest('base64')}`,
	};
}

/** Returns the asset of this name, `card-form.js`, with these bytes. */
export function assetOf(name: string, bytes: Buffer): Asset {
	const dot = name.lastIndexOf('.');
	const extension = name.slice(dot);
	const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_CHARACTERS);
	return {
		path: `/assets/${name.slice(0, dot)}-${hash}${extension}`,
		contentType: TYPES[extension],
		...servedBytes(bytes),
	};
}

const IMPORT = /^import \{[^}]*\} from '\.\/([a-z-]+\.js)';\n/gm;

/**
 * Returns a file as it is served: after the files that it imports, each once, and without comments on lines of their
 * own. One file is loaded faster than several, and its one hash covers everything.
 */
export function readJoined(name: string): string {
	const texts: string[] = [];
	const seen = new Set<string>();
	const add = (each: string) => {
		if (seen.has(each)) return;
		seen.add(each);
		const text = readFileSync(new URL(each, FOLDER), 'utf8');
		for (const [, imported] of text.matchAll(IMPORT)) add(imported);
		// Imported files lose their exports, because they become part of the file that imports them. The requested file
		// keeps its own, because scripts of other pages may import it.
		const own = text.replaceAll(IMPORT, '');
		texts.push(withoutComments(each === name ? own : own.replace(/^export (?=const |function |class )/gm, '')));
	};
	add(name);
	return texts.join('');
}

/** Returns style sheets of the folder `assets` as one text, which is written into a page. */
export function readStyles(...names: string[]): string {
	return names.map((name) => (styles[name] ??= withoutComments(readFileSync(new URL(name, FOLDER), 'utf8')))).join('');
}

const styles: Record<string, string> = {};

function withoutComments(text: string): string {
	return text
		.replace(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n/gm, '')
		.replace(/^[ \t]*\/\/.*\n/gm, '')
		.replace(/^[ \t]*\n/gm, '')
		.replace(/^\t+/gm, '');
}
