// Opens a third party on this machine, which records what it was sent and answers what a test wants, and an account
// with a profile that calls it through the whole app.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { LightMyRequestResponse } from 'fastify';
import type { Dialect } from '../../src/base/database/dialect.ts';
import type { NewAccount } from '../../src/people/identity/accounts/accounts.ts';
import { storeCard } from './card-calls.ts';
import { type Call, type Caller, type HttpApp, type HttpAppOptions, openHttpApp } from './http-app.ts';

/** A request as it arrived. */
export interface Seen {
	readonly method: string;
	/** The path with the query. */
	readonly url: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: Buffer;
	readonly text: string;
}

export interface Told {
	readonly status?: number;
	readonly headers?: Readonly<Record<string, string | readonly string[]>>;
	readonly body?: string | Buffer;
}

/** What the third party answers. A function may also write the answer by itself, or give none. */
export type Answering = Told | ((seen: Seen, response: ServerResponse) => Told | undefined);

export interface ThirdParty {
	readonly url: string;
	/** The requests in the order in which they came. */
	readonly seen: readonly Seen[];
	/**
	 * Returns the only request so far.
	 * @throws if there was none, or more than one
	 */
	only(): Seen;
	answers(answering: Answering): void;
}

/** An answer that is never sent, so that the caller waits in vain. */
export const silence: Answering = () => undefined;

/** Opens a server on a free port, until the test ends. */
export async function openThirdParty(t: ExecutionContext<unknown>, first: Answering = {}): Promise<ThirdParty> {
	const seen: Seen[] = [];
	let answering = first;
	const server = createServer(async (request, response) => {
		const pieces: Buffer[] = [];
		for await (const piece of request) pieces.push(piece);
		const body = Buffer.concat(pieces);
		const { method = '', url = '', headers } = request;
		const entry = { method, url, headers, body, text: body.toString('utf8') };
		seen.push(entry);
		const told = typeof answering === 'function' ? answering(entry, response) : answering;
		if (told === undefined) return;
		const { status = 200, headers: own = { 'content-type': 'text/plain' }, body: sent = 'ok' } = told;
		response.writeHead(status, own as Record<string, string>).end(sent);
	});
	const sockets = new Set<Socket>();
	server.on('connection', (socket) => sockets.add(socket.on('close', () => sockets.delete(socket))));
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => {
		server.close();
		for (const socket of sockets) socket.destroy();
	});
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
		seen,
		only() {
			if (seen.length !== 1) throw new Error(`the third party saw ${seen.length} requests`);
			return seen[0];
		},
		answers(next) {
			answering = next;
		},
	};
}

/** A profile for one card in JSON with its CVV. */
export const JSON_PROFILE = `
name: Partner
direction: both
body: json
cards:
  - container: $.card
    number: $.number
    expiryMonth: $.month
    expiryYear: $.year
    securityCode: $.cvv
    nameOnCard: $.holder
    type: $.brand
`;

export const LIST_PROFILE = `
name: Several
direction: both
body: json
cards:
  - container: $.cards[*]
    number: $.number
    expiryMonth: $.month
    expiryYear: $.year
    securityCode: $.cvv
    nameOnCard: $.holder
    type: $.brand
`;

export const XML_PROFILE = `
name: Soap
direction: both
body: xml
cards:
  - container: //*[local-name()='PaymentCard']
    number: '@CardNumber'
    expiryMonth: { path: '@ExpireDate', format: MM, substring: [0, 2] }
    expiryYear: { path: '@ExpireDate', format: YY, substring: [2, 2] }
    securityCode: '@SeriesCode'
`;

export const TEXT_PROFILE = `
name: Text
direction: replace
body: text
`;

export interface PartnerOptions extends HttpAppOptions {
	readonly dialect?: Dialect;
	/** The profiles of the account: `Partner`, `Several`, `Soap` and `Text` unless given. */
	readonly profiles?: readonly string[];
	readonly account?: Omit<NewAccount, 'userId'>;
	readonly answer?: Answering;
}

export interface Partnership {
	readonly parts: HttpApp;
	/** The account named `merchant`. */
	readonly caller: Caller;
	readonly party: ThirdParty;
	/** Sends a call of the account, which asks for errors in JSON; an empty header is left out. */
	call(path: string, query: Query, call?: Call): Promise<LightMyRequestResponse>;
	/** Relays a JSON body by `Partner` to the third party, unless told otherwise. */
	relay(query?: Query, call?: Call): Promise<LightMyRequestResponse>;
	/** Captures by `Partner` from the third party, unless told otherwise. */
	capture(query?: Query, call?: Call): Promise<LightMyRequestResponse>;
	/** Stores a card of the account. */
	store(card?: object, query?: string): Promise<string>;
}

/** The parameters of a call; null leaves one out. */
export type Query = Readonly<Record<string, string | number | null | undefined>>;

const CARD_BODY = '{"card":{"number":"","month":"","year":"","holder":"","brand":""}}';
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/** Opens parts, an account with profiles, and a third party for it. */
export async function openPartnership(
	t: ExecutionContext<unknown>,
	options: PartnerOptions = {},
): Promise<Partnership> {
	const { dialect, profiles = [JSON_PROFILE, LIST_PROFILE, XML_PROFILE, TEXT_PROFILE], account, answer } = options;
	const parts = await openHttpApp(t, dialect, options);
	const caller = await parts.createCaller('merchant', account);
	for (const profile of profiles) await parts.profiles.put(caller.account.id, profile);
	const party = await openThirdParty(t, answer);
	return { parts, party, ...callsOf(caller, party) };
}

/** Returns the same calls for another account. */
export function callsOf(caller: Caller, party: Pick<ThirdParty, 'url'>) {
	const call: Partnership['call'] = (path, query, given = {}) => {
		const { headers, ...rest } = given;
		const sent = Object.entries({ ...JSON_HEADERS, ...headers }).filter(([, value]) => value !== '');
		return caller.inject('POST', `${path}?${queryText(query)}`, { headers: Object.fromEntries(sent), ...rest });
	};
	const base = { profileName: 'Partner', targetUri: `${party.url}/book` };
	return {
		caller,
		call,
		relay: (query: Query = {}, given: Call = {}) =>
			call('/api/payments/paycard/relay', { ...base, ...query }, { payload: CARD_BODY, ...given }),
		capture: (query: Query = {}, given: Call = {}) =>
			call('/api/payments/paycard/capture', { ...base, ...query }, { payload: '{}', ...given }),
		store: (card: object = {}, query = '') => storeCard(caller, query, card),
	};
}

function queryText(query: Query): string {
	const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
	return new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
}

/** Checks a standard error completely. */
export function isRefused(
	t: ExecutionContext<unknown>,
	response: LightMyRequestResponse,
	status: number,
	error: { readonly code: number; readonly message: string | null; readonly moreInfo: string | null },
) {
	t.is(response.statusCode, status, response.body);
	t.deepEqual(response.json(), error);
}

/** Checks a 400 whose `moreInfo` begins with the name of the wrong field. */
export function isBadInput(t: ExecutionContext<unknown>, response: LightMyRequestResponse, moreInfo: string) {
	isRefused(t, response, 400, { code: -125, message: 'Bad input data', moreInfo });
}

/** Returns how many units an account with a limit has used. */
export async function usedUnits({ identity }: HttpApp, userId = 'merchant'): Promise<number> {
	return (await identity.accounts.get(userId)).allowanceUsed;
}
