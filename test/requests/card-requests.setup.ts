// What card-requests.test.ts and card-requests.slow.test.ts share.

import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { asJson, json } from '../helpers/card-calls.ts';
import { type HttpAppOptions, openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { startMailServer } from '../helpers/mail-server.ts';

export const PATH = '/api/cardrequest';
export const TOKEN = '9e107d9d372bb6826bd81d3542a419d6' as Token;

export async function open(t: ExecutionContext, options: HttpAppOptions = {}, dialect: Dialect = 'sqlite') {
	const parts = await openHttpApp(t, dialect, options);
	const hotel = await parts.createCaller('hotel', { cvvRetention: true });
	const ask = (more: object = {}, path = PATH) => hotel.inject('POST', path, json({ SenderID: 'hotel', ...more }));
	const status = async (id: string) => (await hotel.inject('GET', `${PATH}/${id}`, asJson)).json().Status;
	return { parts, hotel, ask, status };
}

export async function openWithMail(t: ExecutionContext, options: HttpAppOptions = {}, dialect: Dialect = 'sqlite') {
	const server = await startMailServer(t);
	const { host, port } = server;
	const mail = { host, port, tls: 'none', from: 'cards@vault.example', ...options.mail } as const;
	return { server, ...(await open(t, { ...options, mail }, dialect)) };
}

export const secretOf = (url: string) => url.slice(`${TEST_BASE_URL}/cardrequest/`.length);

export const refusal = test.macro({
	title: (_, member, value) => `a body with ${member} ${JSON.stringify(value).slice(0, 60)} is refused`,
	async exec(t, member: string, value: unknown) {
		const { ask } = await open(t);
		const refused = await ask({ [member]: value });
		t.is(refused.statusCode, 400);
		t.true(refused.json().moreInfo.startsWith(`${member}: `), refused.body);
		t.false(refused.body.includes('4111111111111111'));
	},
});
