// Writes the hashes of the library's versions into docs/forms.md, from where merchants copy them, and that of the newest
// version into the page of the example.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findLibraryFile, LIBRARY_VERSIONS } from '../../src/base/pages/library.ts';

/** The files that name the library with its hash. */
export const LIBRARY_PAGES = ['docs/forms.md', 'examples/merchant/page.html'] as const;
const HEAD = '| File | `integrity` |\n|---|---|\n';

/** Returns a file as it must be, with the present hashes. @throws Error when docs/forms.md has no table of versions */
export function generatePage(path: string): string {
	const page = readPage(path);
	const newest = findLibraryFile('tokendrop.js')!;
	const filled = page.replaceAll(
		/(tokendrop-)\d+(\.js"\s+integrity=")[\w+/=-]*/g,
		`$1${LIBRARY_VERSIONS.at(-1)}$2${newest.integrity}`,
	);
	if (!path.endsWith('.md')) return filled;
	const start = filled.indexOf(HEAD);
	if (start < 0) throw new Error(`${path}: no table of versions`);
	const from = start + HEAD.length;
	const [old] = /^(?:\|.*\n)*/.exec(filled.slice(from))!;
	return filled.slice(0, from) + rows() + filled.slice(from + old.length);
}

/** Returns a file as it is now. */
export function readPage(path: string): string {
	return readFileSync(urlOf(path), 'utf8');
}

const urlOf = (path: string) => new URL(`../../${path}`, import.meta.url);

function rows(): string {
	return LIBRARY_VERSIONS.map((version) => {
		const { integrity } = findLibraryFile(`tokendrop-${version}.js`)!;
		return `| \`/lib/tokendrop-${version}.js\` | \`${integrity}\` |\n`;
	}).join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	for (const path of LIBRARY_PAGES) writeFileSync(urlOf(path), generatePage(path));
}
