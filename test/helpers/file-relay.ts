// Makes calls of file relay and file capture, and reads what they leave behind.

import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { type Caller, type HttpApp, type HttpAppOptions, openHttpApp } from './http-app.ts';
import { type PlainPartner, plainUser, startPlainPartner, type Whims } from './plain-partner.ts';

export const RELAY = '/api/payments/paycard/relay/sftp';
export const CAPTURE = '/api/payments/paycard/capture/sftp';
const TOKENIZE = '/api/files/tokenize';
export const BYTES = { 'content-type': 'application/octet-stream' };
export const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,CardType\n';
export const VISA = '4111111111111111';
export const ROW = `${VISA},12,2029,Visa\n`;

interface At {
	readonly port: number;
	readonly userName: string;
	readonly password: string;
}

/** Describes a call that names its partner itself, without a stored destination. */
export function callOf(base: string, { port, userName, password }: At, more: Record<string, string> = {}) {
	const query = {
		filter: 'SIMPLECSV',
		host: '127.0.0.1',
		port: String(port),
		userName,
		path: 'in',
		fileName: 'may.csv',
	};
	const url = `${base}?${new URLSearchParams({ ...query, ...more })}`;
	return { url, headers: { ...BYTES, 'x-service-sftp-password': Buffer.from(password).toString('latin1') } };
}

export async function openPlain(t: ExecutionContext<unknown>, whims: Whims = {}, options: HttpAppOptions = {}) {
	const parts = await openHttpApp(t, 'sqlite', options);
	const caller = await parts.createCaller('agency');
	const partner = await startPlainPartner(t, whims);
	return { parts, caller, partner, at: { port: partner.port, ...plainUser } };
}

export async function tokenized(caller: Caller, payload: string | Buffer, filter = 'SIMPLECSV'): Promise<Buffer> {
	const response = await caller.inject('POST', `${TOKENIZE}?filter=${filter}`, { headers: BYTES, payload });
	if (response.statusCode !== 200) throw new Error(response.payload);
	return response.rawPayload;
}

export async function openRequest(t: ExecutionContext, parts: HttpApp, caller: Caller, url: string, headers: object) {
	if (!parts.app.server.listening) await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as AddressInfo;
	const all = { ...headers, 'x-service-api-key': caller.apiKey };
	const request = httpRequest({ host: '127.0.0.1', port, method: 'POST', path: url, headers: all, agent: false });
	request.on('error', () => {});
	t.teardown(() => request.destroy());
	return request;
}

export const names = ({ files }: PlainPartner) => [...files.keys()];
