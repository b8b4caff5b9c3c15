// What batch.test.ts and batch.slow.test.ts share.

import test, { type ExecutionContext } from 'ava';
import { BATCH, card, linesOf } from '../helpers/batch-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';

export const brokenList = test.macro({
	async exec(t: ExecutionContext, tail: string, error: RegExp) {
		const parts = await openHttpApp(t);
		const caller = await parts.createCaller('agency');
		const payload = `[${JSON.stringify(card())}${tail}`;
		const headers = { 'content-type': 'application/json' };
		const lines = linesOf((await caller.inject('POST', BATCH, { headers, payload })).payload);
		t.is(lines.length, 2);
		t.is(lines[0].error, null);
		t.truthy(await parts.vault.find(caller.account.id, lines[0].token as never));
		t.is(lines[1].token, null);
		t.regex(lines[1].error!, error);
	},
	title: (providedTitle = '') => `shapes §3: a broken list stops with a line that says where: ${providedTitle}`,
});
