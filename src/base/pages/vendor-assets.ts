// Provides the files of other projects that our pages load. We serve them ourselves, so that no page sends a request to
// another host.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Asset, assetOf } from './assets.ts';

const require = createRequire(import.meta.url);

/**
 * The scripts of other projects. A page loads them as modules, whose names other scripts cannot see, so the one name
 * that other scripts need is made global.
 */
const SCRIPTS = {
	/** uPlot draws plots; its global name is `globalThis.uPlot`. */
	'uplot.js': { file: 'uplot/dist/uPlot.iife.min.js', global: 'uPlot' },
} as const;

const STYLES = { 'uplot.css': 'uplot/dist/uPlot.min.css' } as const;

const assets = new Map<string, Asset>();

export function getVendorAsset(name: keyof typeof SCRIPTS): Asset {
	let asset = assets.get(name);
	if (!asset) assets.set(name, (asset = vendorAsset(name)));
	return asset;
}

/** Returns the script at a path such as `/assets/vendor-uplot-<hash>.js`. */
export function findVendorAsset(path: string): Asset | undefined {
	const names = Object.keys(SCRIPTS) as (keyof typeof SCRIPTS)[];
	const name = names.find((each) => path.startsWith(`/assets/vendor-${each.replace('.js', '')}-`));
	if (name === undefined) return undefined;
	const asset = getVendorAsset(name);
	return asset.path === path ? asset : undefined;
}

/** Returns a style sheet as a text, which is written into a page. */
export function readVendorStyle(name: keyof typeof STYLES): string {
	return readFileSync(require.resolve(STYLES[name]), 'utf8');
}

function vendorAsset(name: keyof typeof SCRIPTS): Asset {
	const { file, global } = SCRIPTS[name];
	const text = readFileSync(require.resolve(file), 'utf8').replace(/^\/\/# sourceMappingURL.*$/m, '');
	return assetOf(`vendor-${name}`, Buffer.from(`${text}\n;globalThis.${global} = ${global};`));
}
