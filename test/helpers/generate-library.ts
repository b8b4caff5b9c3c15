// Writes the hashes of the library's versions into docs/forms.md. Pages of merchants copy them from there.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findLibraryFile, LIBRARY_VERSIONS } from '../../src/pages/library.ts';

const PAGE = new URL('../../docs/forms.md', import.meta.url);
const HEAD = '| File | `integrity` |\n|---|---|\n';

/** What the page is to hold. @throws Error when it has no table of versions */
export function generateFormsPage(): string {
	const page = readFormsPage();
	const start = page.indexOf(HEAD);
	if (start < 0) throw new Error('docs/forms.md: no table of versions');
	const from = start + HEAD.length;
	const [old] = /^(?:\|.*\n)*/.exec(page.slice(from))!;
	const newest = findLibraryFile('tokendrop.js')!;
	return (page.slice(0, from) + rows() + page.slice(from + old.length)).replaceAll(
		/(tokendrop-)\d+(\.js"\s+integrity=")[\w+/=-]*/g,
		`$1${LIBRARY_VERSIONS.at(-1)}$2${newest.integrity}`,
	);
}

/** What it holds. */
export function readFormsPage(): string {
	return readFileSync(PAGE, 'utf8');
}

function rows(): string {
	return LIBRARY_VERSIONS.map((version) => {
		const { integrity } = findLibraryFile(`tokendrop-${version}.js`)!;
		return `| \`/lib/tokendrop-${version}.js\` | \`${integrity}\` |\n`;
	}).join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, generateFormsPage());
