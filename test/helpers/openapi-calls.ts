// Calls the operations of the OpenAPI document with the examples that it shows.

import type { ExecutionContext } from 'ava';
import type { ShownEvent } from '../../src/work/events/history.ts';
import { putFormatOptions } from '../../src/work/jobs/format-options.ts';
import type { ShownFile } from '../../src/work/routes/runs/history.ts';
import { type Caller, type HttpApp, openHttpApp } from './http-app.ts';
import { runNextJob } from './http-jobs.ts';
import { clientOf } from './openapi-client.ts';
import type { Content, OpenApiDocument, Operation } from './openapi-document.ts';

export interface Listed {
	readonly name: string;
	readonly path: string;
	readonly operation: Operation;
}

export interface Opened {
	readonly parts: HttpApp;
	readonly document: OpenApiDocument;
	readonly operations: readonly Listed[];
	/** Makes an account that has done nothing yet. */
	newCaller(): Promise<Caller>;
}

/** Opens an app, and lists its operations except those that call a third party. */
export async function openShown(t: ExecutionContext): Promise<Opened> {
	const parts = await openHttpApp(t);
	const { document } = await clientOf(parts, await parts.createCaller('partner'));
	const listed = Object.entries(document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(
			([method, operation]): Listed => ({ name: `${method.toUpperCase()} ${path}`, path, operation }),
		),
	);
	const operations = listed.filter(({ name }) => !NEEDS_ANOTHER.test(name));
	let count = 0;
	const newCaller = async () => {
		const caller = await parts.createCaller(`agency-${count++}`, { cvvRetention: true });
		const scope = { accountId: caller.account.id, filter: 'SIMPLECSV' };
		await putFormatOptions(parts, scope, { report: { csv: true } }, () => {});
		return caller;
	};
	return { parts, document, operations, newCaller };
}

/** Matches operations that call a third party. They are tested elsewhere, with servers for it. */
const NEEDS_ANOTHER = /\/(relay|capture|booker|inbound)\b|event-endpoints\/\{name\}\/test$/;

const CUT_FILE = 'CardNumber,NameOnCard\n4111111111111111,"A HOLDER\n';

function shownIn(content: Content | undefined): unknown {
	return Object.values(content ?? {}).find(({ example }) => example !== undefined)?.example;
}

interface Sending {
	readonly type?: string;
	readonly body?: unknown;
	readonly accept?: string;
	readonly headers?: Readonly<Record<string, string>>;
}

function send(
	caller: Caller,
	method: string,
	url: string,
	{ type, body, accept = 'application/json', headers: more }: Sending,
) {
	const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
	const payload = text?.replace(/(SenderID"?[:>]"?)agency/, `$1${caller.account.userId}`);
	const headers = { accept, ...(type !== undefined && { 'content-type': type }), ...more };
	return caller.inject(method as 'POST', url, { headers, payload });
}

/** Makes what a call needs, and returns its ids and tokens by the names that the path or the query has for them. */
async function prepare({ parts, document }: Opened, caller: Caller, { name }: Listed): Promise<Record<string, string>> {
	const post = (
		url: string,
		type = 'application/json',
		body = shownIn(document.paths[url.split('?')[0]].post.requestBody?.content),
	) => send(caller, 'POST', url, { type, body });
	if (name === 'GET /api/requests') await send(caller, 'GET', '/api/payments/paycard/meta', {});
	if (name.includes('/api/jobs')) {
		const url = '/api/files/tokenize?filter=SIMPLECSV&async=true&name=may.csv';
		const accepted = await post(url, 'application/octet-stream', name.endsWith('/retry') ? CUT_FILE : undefined);
		const { id } = accepted.json();
		const isWaiting = async () => (await send(caller, 'GET', `/api/jobs/${id}`, {})).json().state === 'queued';
		while (await isWaiting()) await runNextJob(parts);
		return { id };
	}
	if (name.includes('/api/routes') && name !== 'PUT /api/routes/{name}') {
		const url = '/api/routes/{name}';
		const body = shownIn(document.paths[url].put.requestBody?.content);
		await send(caller, 'PUT', url.replace('{name}', 'nightly-visa'), { type: 'application/json', body });
		const { knex } = parts.database;
		const route = await knex('routes').where({ account_id: caller.account.id }).first();
		const [seen] = shownIn(document.paths['/api/routes/{name}/files'].get.responses[200].content) as ShownFile[];
		const { path, size, sha256 } = seen;
		const row = { route_id: route.id, path, size, sha256, run_id: route.id, modified_at: 0, seen_at: 0 };
		await knex('route_files').insert({ ...row, state: name.endsWith('/retry') ? 'dead' : 'done' });
		return {};
	}
	if (/ \/api\/event/.test(name) && name !== 'PUT /api/event-endpoints/{name}') {
		const url = '/api/event-endpoints/{name}';
		const body = shownIn(document.paths[url].put.requestBody?.content);
		await send(caller, 'PUT', url.replace('{name}', 'crm'), { type: 'application/json', body });
		const { knex } = parts.database;
		const { id: endpoint_id } = await knex('event_endpoints').where({ account_id: caller.account.id }).first();
		const shown = shownIn(document.paths['/api/events/{id}'].get.responses[200].content) as ShownEvent;
		const { id, type, timestamp, data } = shown;
		const row = { id, type, account_id: caller.account.id, about: 'x', created_at: parts.clock.now().getTime() };
		await knex('events').delete();
		await knex('event_deliveries').delete();
		await knex('events').insert({ ...row, body: JSON.stringify({ type, timestamp, data }) });
		const delivery = { event_id: id, endpoint_id, account_id: caller.account.id, about: 'x', state: 'sent' };
		await knex('event_deliveries').insert({ ...delivery, tries: 1, next_at: 0, status: 204, ended_at: 0 });
		return {};
	}
	if (name === 'POST /api/files/detokenize') {
		return { body: (await post('/api/files/tokenize?filter=SIMPLECSV', 'application/octet-stream')).body };
	}
	if (/ \/api\/datablocks./.test(name) || name === 'GET /api/datablocks') {
		return { cardToken: (await post('/api/datablocks')).json().Token };
	}
	if (/^(GET|DELETE) .*\{credentialsId\}/.test(name)) {
		const keep = '/api/paymentGateway/credentials/{credentialsId}';
		const body = shownIn(document.paths[keep].put.requestBody?.content);
		await send(caller, 'PUT', keep.replace('{credentialsId}', 'shop-1'), { type: 'application/json', body });
	}
	if (name.includes('/paymentGateway/transactions')) {
		const carriedOut = await post('/api/paymentGateway');
		return { transactionId: String(carriedOut.headers.location).split('/').at(-1)! };
	}
	if (name.includes('/eWalletOperation/')) {
		const made: { token: string } = (await post('/api/eWalletOperation')).json();
		const tokenize = '/api/eWalletOperation/session/tokenize';
		const headers = { authorization: `Bearer ${made.token}`, 'content-type': 'application/json' };
		const payload = JSON.stringify(shownIn(document.paths[tokenize].post.requestBody?.content));
		if (name.endsWith('/validateResults')) await caller.inject('POST', tokenize, { headers, payload });
		return made;
	}
	if (name.includes('/cardrequest/{')) return { requestID: (await post('/api/cardrequest')).json().requestID };
	if (!/ \/api\/(cardrequest\/cvv|card-view-request|payments\/paycard\/(\{|meta|duplicate|networkToken))/.test(name))
		return {};
	const stored = await post('/api/payments/paycard?ref=order-1&merchantId=partner');
	const cardToken = String(stored.headers.location).slice(-32);
	const policy = '/api/payments/paycard/{cardToken}/cvvRetentionPolicy';
	if (name.includes(policy)) {
		const body = shownIn(document.paths[policy].put.requestBody?.content);
		await send(caller, 'PUT', policy.replace('{cardToken}', cardToken), { type: 'application/json', body });
	}
	return { cardToken, cardUri: cardToken };
}

interface ShownCall extends Sending {
	readonly query?: string;
	/** The values of parameters in the place of those that are shown. */
	readonly given?: Readonly<Record<string, string>>;
	/** Changes the body that is shown before it is sent. */
	readonly alter?: (body: unknown) => unknown;
}

/** Calls an operation with the examples of its parameters and of one of its bodies. */
export async function callShown(
	opened: Opened,
	listed: Listed,
	{ type, accept, query = '', given = {}, alter = (body) => body }: ShownCall,
) {
	const { name, path, operation } = listed;
	const caller = await opened.newCaller();
	const made = { ...(await prepare(opened, caller, listed)), ...given };
	const { parameters = [], requestBody } = operation;
	const shown = Object.fromEntries(parameters.map((each) => [each.name, String(each.example)]));
	const url = path.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(made[part] ?? shown[part]));
	const search = new URLSearchParams(query);
	for (const { name: parameter, in: place, required, example } of parameters) {
		if (place === 'query' && (required || example !== undefined || parameter in given)) {
			search.set(parameter, made[parameter] ?? shown[parameter]);
		}
	}
	const example = made.body ?? (type === undefined ? undefined : requestBody?.content[type].example);
	const ofSession = made.token === undefined ? example : withToken(example, made.token);
	const body = alter(made.cardUri === undefined ? ofSession : withCard(ofSession, made.cardUri));
	const headers: Record<string, string> = path.includes('/session') ? { authorization: `Bearer ${made.token}` } : {};
	return send(caller, name.split(' ')[0], `${url}?${search}`, { type, body, accept, headers });
}

/** Puts the token of a session that the test has made into a body about a session of the payments library. */
function withToken(body: unknown, token: string): unknown {
	const text = (JSON.stringify(body) ?? 'null').replace(/ws_[\w-]+/, token);
	return JSON.parse(text) ?? undefined;
}

/** Puts the token of a card that the test has stored into a body about a stored card. */
function withCard(body: unknown, token: string): unknown {
	const text = (JSON.stringify(body) ?? 'null').replace(/(card(?:Uri|Token)\W+[^"<]*?)[0-9a-f]{32}/, `$1${token}`);
	return JSON.parse(text) ?? undefined;
}
