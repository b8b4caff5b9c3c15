// A shop that sells one book and takes the card in a form of the vault. Neither its pages nor this server ever see the
// card. Run it with `npm run example`; README.md beside this file says how. It needs nothing but Node.

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { openVault, type VaultOptions } from './vault.ts';

const BOOK = { title: 'A Field Guide to Tokens', amount: 18.5, currency: 'EUR' } as const;
const FILES: Readonly<Record<string, string>> = {
	'/': 'page.html',
	'/page.js': 'page.js',
	'/page.css': 'page.css',
};
const TYPES: Readonly<Record<string, string>> = { html: 'text/html', js: 'text/javascript', css: 'text/css' };
const MAX_BODY_CHARACTERS = 1000;

interface Order {
	state: 'open' | 'paying' | 'paid';
}

/** Makes the shop's server, which does not listen yet. */
export function openShop(options: VaultOptions): Server {
	const vault = openVault(options);
	const orders = new Map<string, Order>();

	/** Starts an order, with a session token that lets the page open one form. */
	const begin = async () => {
		const sessionToken = await vault.makeSessionToken();
		const orderId = randomUUID();
		orders.set(orderId, { state: 'open' });
		return { orderId, sessionToken };
	};
	/** Charges the card behind a token. The amount is set here, so that the page cannot change it. */
	const pay = async (orderId: string, token: unknown) => {
		const order = orders.get(orderId);
		if (order?.state !== 'open' || typeof token !== 'string' || !/^[0-9a-f]{32}$/.test(token)) return undefined;
		// The state changes before the call, so that two clicks pay once. If the call fails, nobody knows whether it was paid,
		// and the order stays as it is until somebody has looked.
		order.state = 'paying';
		const result = await vault.charge({ orderId, token, ...BOOK });
		if (result !== 'Success' && result !== 'Rejected') throw new Error(`the payment ended with ${result}`);
		order.state = result === 'Success' ? 'paid' : 'open';
		return { isPaid: result === 'Success' };
	};

	const answer = async (request: IncomingMessage): Promise<Answer> => {
		const { method, url = '/' } = request;
		if (method === 'GET' && Object.hasOwn(FILES, url)) return fileOf(FILES[url], options.vaultUrl);
		if (method === 'POST' && url === '/orders') return json(await begin());
		const [, orderId] = /^\/orders\/([\w-]+)\/payment$/.exec(url) ?? [];
		if (method !== 'POST' || orderId === undefined) return { status: 404 };
		const { token } = await readJson(request);
		const paid = await pay(orderId, token);
		return paid ? json(paid) : { status: 400 };
	};
	return createServer((request, response) => {
		answer(request).then(
			(found) => send(response, found, options.vaultUrl),
			() => send(response, { status: 502 }, options.vaultUrl),
		);
	});
}

interface Answer {
	readonly status?: number;
	readonly type?: string;
	readonly body?: string;
}

function json(value: object): Answer {
	return { type: 'application/json', body: JSON.stringify(value) };
}

/** Reads a file of this folder, and fills in the address of the vault and the title and price of the book. */
function fileOf(name: string, vaultUrl: string): Answer {
	const text = readFileSync(new URL(name, import.meta.url), 'utf8');
	const filled = { vault: vaultUrl, title: BOOK.title, price: `${BOOK.currency} ${BOOK.amount.toFixed(2)}` };
	const body = text.replace(/\{\{(vault|title|price)\}\}/g, (_, key: keyof typeof filled) => filled[key]);
	return { type: `${TYPES[name.split('.')[1]]}; charset=utf-8`, body };
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
	let text = '';
	for await (const piece of request) {
		text += piece;
		if (text.length > MAX_BODY_CHARACTERS) throw new Error('the body is too long');
	}
	return JSON.parse(text) as Record<string, unknown>;
}

/** Sends an answer with a strict policy: it allows scripts of the shop and of the vault, and frames of the vault. */
function send(response: ServerResponse, { status = 200, type = 'text/plain', body = '' }: Answer, vault: string): void {
	const policy = `default-src 'none'; script-src 'self' ${vault}; style-src 'self'; img-src data:; connect-src 'self'; frame-src ${vault}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;
	response.writeHead(status, {
		'content-type': type,
		'content-security-policy': policy,
		'cross-origin-embedder-policy': 'require-corp',
		'cross-origin-opener-policy': 'same-origin',
		'referrer-policy': 'no-referrer',
		'x-content-type-options': 'nosniff',
	});
	response.end(body);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
	const { TOKENDROP_API_KEY: apiKey = '', TOKENDROP_URL = 'http://127.0.0.1:8080', PORT = '3000' } = process.env;
	if (apiKey === '') throw new Error('set TOKENDROP_API_KEY to the API key that the first start of Tokendrop printed');
	const formKey = process.env.TOKENDROP_FORM_KEY ?? apiKey;
	openShop({ vaultUrl: TOKENDROP_URL.replace(/\/$/, ''), apiKey, formKey }).listen(Number(PORT), '127.0.0.1', () => {
		console.log(`The shop is open at http://localhost:${PORT}`);
	});
}
