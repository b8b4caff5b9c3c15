// Those tests of style-sheets.test.ts that take long.

import test from 'ava';
import { openStyleSheets } from '../../src/base/pages/style-sheets.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';

const repeated = (part: string, size: number) => part.repeat(Math.floor(size / part.length));

test.serial('whatever 16 kB of CSS are made of, reading them holds up nobody else', async (t) => {
	for (const part of ['a{}', 'a,', 'b;', 'a{b c}', 'a%{top:0}', ':not(', '@a;', '"', 'a{b:c;}', '@media{']) {
		let round = 0;
		const longest = await bestTurn(async () => {
			const sheets = openStyleSheets({ maxMs: 100_000 });
			await sheets.read(1, `${repeated(part, 16_000)}${round++}`);
		});
		t.true(longest < MAX_TURN_MS, `${part}: ${longest.toFixed()} ms`);
	}
});
