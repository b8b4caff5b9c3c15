// What plot.test.ts and plot.slow.test.ts share.

import { fileURLToPath } from 'node:url';
import { type Element, parseXmlDocument } from 'slimdom';
import { readRun } from '../../../bench/run-file.ts';

export const SMALL = fileURLToPath(new URL('./small-run.json', import.meta.url));
export const small = readRun(SMALL);

/** Returns the texts of a drawing. @throws if it is not well-formed XML */
export function textsOf(svg: string): { readonly texts: string[]; readonly all: string; readonly root: Element } {
	const root = parseXmlDocument(svg).documentElement!;
	const texts = root.getElementsByTagName('text').map(({ textContent }) => textContent ?? '');
	return { texts, all: root.textContent ?? '', root };
}
