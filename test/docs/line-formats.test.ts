// Checks the pages of AIR and IUR: the lines that they show before and after are what comes out, in both directions.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { air } from '../../formats/air/air.ts';
import { iur } from '../../formats/iur/iur.ts';
import type { Format } from '../../src/engine/format.ts';
import { detokenizeLines, tokenizeLines, type Vault } from '../helpers/swap-lines.ts';

const shown = test.macro({
	exec(t, format: Format<object>, page: string, frame: readonly [string, string], pairs: number) {
		const text = readFileSync(new URL(`../../docs/formats/${page}`, import.meta.url), 'latin1');
		const blocks = [...text.matchAll(/^```\n(.*?)^```$/gms)].map(([, block]) => frame[0] + block + frame[1]);
		t.is(blocks.length, 2 * pairs);
		const options = format.options.parse({});
		for (let i = 0; i < blocks.length; i += 2) {
			const [before, after] = [blocks[i], blocks[i + 1]];
			const vault: Vault = new Map();
			const tokens = after.match(/[0-9A-F]{32}(?=D?(\d{4})?(?:[^0-9A-F]|EXP|$))/g) ?? [];
			t.is(tokenizeLines(format, options, before, tokens, vault), after);
			t.is(vault.size, tokens.length);
			t.is(detokenizeLines(format, options, after, vault), before);
		}
	},
	title: (filter) => `what the page of ${filter} shows is what comes out`,
});

test('AIR', shown, air as Format<never>, 'air.md', ['AIR-BLK207\nAMD\n1A\nMUC1A\n', 'ENDX\n'], 1);
test('IUR', shown, iur as Format<never>, 'iur.md', ['AA20NOV0915M0117\n', 'M999END\n'], 2);
