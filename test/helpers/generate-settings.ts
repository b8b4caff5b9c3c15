// Writes the table of docs/settings.md from the schema and config/default.yaml.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type Leaf, leaves } from '../../src/base/settings/schema.ts';

const PAGE = new URL('../../docs/settings.md', import.meta.url);
const DEFAULTS = new URL('../../config/default.yaml', import.meta.url);
const HEAD = '| Key | Variable | Default | Rule |\n|---|---|---|---|\n';

/** Returns the page as it must be: its own words, and a table after them. @throws Error when it has no table */
export function generateSettingsPage(): string {
	const page = readSettingsPage();
	const start = page.indexOf(HEAD);
	if (start < 0) throw new Error('docs/settings.md: no table of settings');
	const defaults = parse(readFileSync(DEFAULTS, 'utf8'));
	return `${page.slice(0, start)}${HEAD}${leaves.map((leaf) => rowOf(leaf, defaults)).join('')}`;
}

/** Returns the page as it is now. */
export function readSettingsPage(): string {
	return readFileSync(PAGE, 'utf8');
}

function rowOf({ key, variable, path, notes }: Leaf, defaults: Record<string, never>): string {
	const value = path.reduce<unknown>((tree, name) => (tree as Record<string, unknown>)[name], defaults);
	const shown = value === null ? `${emptyOf(notes)}` : `\`${value}\``;
	return `| \`${key}\` | \`${variable}\` | ${shown} | ${notes.rule} |\n`;
}

/** Returns what an empty setting means, such as `none: no limit` or `derived: half of relay.maxInFlight`. */
function emptyOf({ whenEmpty }: Leaf['notes']): string {
	if (whenEmpty === undefined) throw new Error('a key that is empty says what that means');
	return Object.entries(whenEmpty)
		.map(([kind, says]) => `${kind}: ${says}`)
		.join();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, generateSettingsPage());
