// What fuzz.test.ts and fuzz.slow.test.ts share.

import test, { type ExecutionContext } from 'ava';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

export const MEBI = 1024 * 1024;
export const SENTINEL = 'sentinel-4111111111111111';

export async function open(t: ExecutionContext<unknown>) {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const post = (payload: string | Buffer, contentType = 'application/json', headers: Record<string, string> = {}) =>
		caller.inject('POST', '/probe', {
			payload,
			headers: { accept: 'application/json', 'content-type': contentType, ...headers },
		});
	return { parts, post };
}

export const laughs = `<!DOCTYPE l [<!ENTITY a "ha">${Array.from({ length: 30 }, (_, i) => `<!ENTITY b${i} "&a;&a;&a;">`).join('')}]><Probe><Name>&b29;</Name></Probe>`;

export const refused = test.macro({
	async exec(t, payload: string | Buffer, contentType: string, message: string, headers: Record<string, string> = {}) {
		const { parts, post } = await open(t);
		const response = await post(payload, contentType, headers);
		t.is(response.statusCode, 400);
		t.like(response.json(), { code: -125, message });
		t.truthy(response.json().moreInfo);
		for (const text of [response.body, parts.logText()]) {
			t.false(text.includes('sentinel'));
			t.false(/\bat .*\.ts:|node_modules/.test(text));
		}
	},
	title: (text) => `${text} is a 400`,
});
export const MALFORMED = 'Message badly formatted';
export const BAD = 'Bad input data';

export const taken = test.macro({
	async exec(t, payload: string | Buffer, contentType: string, name: string, headers: Record<string, string> = {}) {
		const { post } = await open(t);
		const response = await post(payload, contentType, headers);
		t.is(response.statusCode, 200, response.body);
		t.is(response.json().Name, name);
	},
	title: (text) => `${text} is taken`,
});
