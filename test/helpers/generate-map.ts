// Draws docs/pictures/map.svg, the picture of ARCHITECTURE.md: the layers in their order with their folders, and beside each
// which layers below it imports. Everything in it is read from the map of that page and from the imports of the source.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type SourceFile, sourceFiles } from './source-files.ts';

const ROOT = new URL('../../', import.meta.url);
const PICTURE = new URL('docs/pictures/map.svg', ROOT);

/** Widths and heights in pixels. */
const ROW = 40;
const TOP = 84;
const LEFT = 12;
const BOX = 720;
const CELL = 40;
const FIRST_CELL = LEFT + BOX + 20;

/**
 * Returns the layers in the order of the map in ARCHITECTURE.md, which has a row for each, by their folders: `app`, or
 * `formats`.
 */
export function readLayers(): string[] {
	const page = readFileSync(new URL('ARCHITECTURE.md', ROOT), 'utf8');
	const table = page.slice(page.indexOf('## The map'), page.indexOf('## The path of one byte'));
	return [...table.matchAll(/^\| `([^`]+?)\/?` \|/gm)].map(([, place]) => place.replace(/^src\//, ''));
}

/** Returns the layer of a file, which is the folder of `src` that it is in, or `formats`. */
export function layerOf(path: string): string {
	return path.replace(/^src\//, '').split('/')[0];
}

function foldersOf(layer: string): string {
	if (layer.endsWith('.ts')) return '';
	const place = new URL(layer === 'formats' ? 'formats/' : `src/${layer}/`, ROOT);
	const folders = readdirSync(place, { withFileTypes: true }).filter((entry) => entry.isDirectory());
	return folders
		.map(({ name }) => name)
		.sort()
		.join(' · ');
}

/** Counts the files of a layer that import something of another one. */
function countUses(files: readonly SourceFile[], layers: readonly string[]): Map<string, number> {
	const uses = new Map<string, number>();
	for (const { path, imports } of files) {
		const targets = new Set(imports.map(({ target }) => layerOf(target)).filter((layer) => layers.includes(layer)));
		for (const target of targets) {
			const use = `${layerOf(path)} ${target}`;
			uses.set(use, (uses.get(use) ?? 0) + 1);
		}
	}
	return uses;
}

/** Returns the radius of the dot for a count of files: three sizes, so that the picture does not change at every import. */
const radiusOf = (count: number) => (count >= 30 ? 11 : count >= 6 ? 7 : 4);

/** Returns the picture as it must be. */
export function drawMap(): string {
	const layers = readLayers();
	const uses = countUses(sourceFiles('src', 'formats'), layers);
	const height = TOP + layers.length * ROW + 12;
	const width = FIRST_CELL + layers.length * CELL + 12;
	const middle = (row: number) => TOP + row * ROW + ROW / 2;
	const column = (at: number) => FIRST_CELL + at * CELL + CELL / 2;
	const rows = layers.map((layer, row) => {
		const y = TOP + row * ROW;
		const dots = layers.slice(row + 1).flatMap((target, at) => {
			const count = uses.get(`${layer} ${target}`);
			return count ? [`<circle cx="${column(row + 1 + at)}" cy="${middle(row)}" r="${radiusOf(count)}"/>`] : [];
		});
		return [
			`<rect x="${LEFT}" y="${y + 3}" width="${BOX}" height="${ROW - 6}" rx="5"/>`,
			`<text class="name" x="${LEFT + 12}" y="${middle(row) + 5}">${layer}</text>`,
			`<text class="in" x="${LEFT + 116}" y="${middle(row) + 5}">${foldersOf(layer)}</text>`,
			`<path d="M${FIRST_CELL} ${y + ROW}H${width - 12}"/>`,
			`<text class="head" transform="translate(${column(row) + 4} ${TOP - 8}) rotate(-50)">${layer}</text>`,
			...dots,
		].join('\n');
	});
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="t">
<title id="t">The layers of Tokendrop from the command line down to what all stand on, and which layer imports which</title>
<style>
text{font:13px system-ui,sans-serif;fill:#1d2733}.name{font-weight:600}.in{fill:#52606d}.head{font-size:12px;fill:#52606d}
rect{fill:#eef3f8;stroke:#b8c4d0}path{stroke:#dde3ea}circle{fill:#2b6cb0}
@media (prefers-color-scheme:dark){text{fill:#e4e9ef}.in,.head{fill:#a3b1bf}rect{fill:#1f2a36;stroke:#3d4b5a}path{stroke:#2c3845}circle{fill:#63a4e8}}
</style>
<text x="${LEFT}" y="${TOP - 12}">A layer imports from those below it: a dot in the column of each, larger for more files</text>
${rows.join('\n')}
</svg>
`;
}

/** Returns the picture as it is in the repository. */
export const readMap = () => readFileSync(PICTURE, 'utf8');

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PICTURE, drawMap());
