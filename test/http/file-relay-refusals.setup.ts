// What file-relay-refusals.test.ts and file-relay-refusals.slow.test.ts share.

import test from 'ava';
import { callOf, HEAD, names, openPlain, RELAY } from '../helpers/file-relay.ts';

export const refuses = test.macro({
	async exec(t, more: Record<string, string>, moreInfo: string, status: number = 400) {
		const { parts, caller, partner, at } = await openPlain(t);
		const { url, headers } = callOf(RELAY, at, more);
		const call = { headers: { ...headers, accept: 'application/json' }, payload: HEAD };
		const response = await caller.inject('POST', url, call);
		t.is(response.statusCode, status);
		t.is(response.json().moreInfo, moreInfo);
		t.deepEqual(names(partner), []);
		t.is((await parts.database.knex('audit').where('action', 'like', 'file.relay%')).length, 0);
	},
	title: (_, more, moreInfo) => `${JSON.stringify(more)} is refused: ${moreInfo}`,
});
