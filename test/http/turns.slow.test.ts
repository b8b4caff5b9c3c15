// Tests that long answers and long files let other work of the door's thread run in between (docs/limits.md).

import test from 'ava';
import { openHttpApp } from '../helpers/http-app.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';

const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear\n';

const FILES = {
	'of cards': '4111111111111111,12,2030\n'.repeat(40_000),
	'of refused cards': '4,,\n'.repeat(300_000),
	'of empty rows': ',,\n'.repeat(400_000),
};

for (const [what, rows] of Object.entries(FILES)) {
	test.serial(`a streamed file ${what} leaves the thread to others`, async (t) => {
		const parts = await openHttpApp(t);
		const caller = await parts.createCaller('agency', { allowanceLimit: null });
		const send = (payload: string) => caller.inject('POST', '/api/files/tokenize?filter=SIMPLECSV', { payload });
		t.is((await send(HEAD + rows.slice(0, 1000 * 25))).statusCode, 200);
		const longest = await bestTurn(async () => {
			const answers = await Promise.all([send(HEAD + rows), send(HEAD + rows), send(HEAD + rows)]);
			for (const { statusCode } of answers) t.is(statusCode, 200);
		});
		t.log(`${longest.toFixed()} ms`);
		t.true(longest < MAX_TURN_MS, `${longest.toFixed()} ms`);
	});
}

test.serial('a list of all tokens leaves the thread to others, whatever number is asked for', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency', { allowanceLimit: null });
	const payload = HEAD + '4111111111111111,12,2030\n'.repeat(15_000);
	t.is((await caller.inject('POST', '/api/files/tokenize?filter=SIMPLECSV', { payload })).statusCode, 200);
	const url = `/api/payments/paycard/meta?num=${Number.MAX_SAFE_INTEGER}`;
	for (const accept of ['application/json', 'application/xml']) {
		let length = 0;
		const longest = await bestTurn(async () => {
			length = (await caller.inject('GET', url, { headers: { accept } })).body.length;
		});
		t.true(length > 15_000 * 100);
		t.log(`${longest.toFixed()} ms`);
		t.true(longest < MAX_TURN_MS, `${longest.toFixed()} ms`);
	}
});
