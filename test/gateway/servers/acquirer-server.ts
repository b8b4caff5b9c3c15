// Imitates the acquirer that config/gateways/example-acquirer.yaml describes.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import {
	type Asked,
	type Mode,
	openProviderServer,
	type ProviderServer,
	replays,
	type Said,
} from './provider-server.ts';

export const ACQUIRER_KEY = 'acq_live_ContractTests';
export const ACQUIRER_MERCHANT = 'M-100';
const EXAMPLE = new URL('../../../config/gateways/example-acquirer.yaml', import.meta.url);

interface Payment {
	readonly id: string;
	status: string;
	readonly amount: number;
	readonly currency: string;
}

export interface AcquirerServer extends ProviderServer {
	readonly payments: readonly Payment[];
	/** A directory with the shipped declaration, in which the address is replaced by this server's. */
	readonly driversDir: string;
}

export async function openAcquirerServer(t: ExecutionContext<unknown>): Promise<AcquirerServer> {
	const payments: Payment[] = [];
	const transactions = new Map<string, Said>();
	const replay = replays();
	const say = (status: number, of: string, id: string, code = '00', text = 'approved'): Said => ({
		status,
		body: { id, status: of, response: { code, text, approval: code === '00' ? 'A1B2C3' : null } },
	});

	const pay = (body: Record<string, never>, mode: Mode): Said => {
		const { merchant, capture, amount, currency, card } = body as never as {
			merchant: string;
			capture: boolean;
			amount: number;
			currency: string;
			card: { number: string; expiry: string; cvv?: string };
		};
		if (merchant !== ACQUIRER_MERCHANT || !Number.isSafeInteger(amount) || !/^\d\d\/\d\d$/.test(card.expiry)) {
			return say(400, 'invalid', '', '30', 'format error');
		}
		const id = `acq/a+b=:${payments.length + 1}`;
		if (mode === 'decline') return say(402, 'declined', id, '51', `no funds on ${card.number}, cvv ${card.cvv}`);
		payments.push({ id, status: capture ? 'captured' : 'authorised', amount, currency });
		return say(201, payments.at(-1)!.status, id);
	};

	const change = (id: string, kind: string): Said => {
		const payment = payments.find((each) => each.id === id);
		if (!payment) return { status: 404, body: { error: 'no such payment' } };
		if (kind === 'captures' && payment.status !== 'authorised') return say(409, 'not_allowed', id, '57', 'not allowed');
		payment.status = kind === 'captures' ? 'captured' : kind === 'refunds' ? 'refunded' : 'voided';
		return say(200, payment.status, id);
	};

	const carryOut = ({ method, path, query, headers, body }: Asked, mode: Mode): Said => {
		if (headers.authorization !== `Bearer ${ACQUIRER_KEY}`) return { status: 401, body: { error: 'who are you?' } };
		if (mode === 'busy') return { status: 429, body: {} };
		const asking = /^\/v1\/transactions\/(\w+)$/.exec(path);
		if (method === 'GET') return (asking && transactions.get(asking[1])) || { status: 404, body: {} };
		return replay(headers['idempotency-key'] as string, () => {
			const document = body === '' ? {} : JSON.parse(body);
			const [, id, kind] = /^\/v1\/payments\/([^/]+)(?:\/(captures|refunds))?$/.exec(path) ?? [];
			const said = path === '/v1/payments' ? pay(document, mode) : change(decodeURIComponent(id), kind);
			transactions.set(document.transaction ?? query.get('transaction'), { ...said, status: 200 });
			return said;
		});
	};

	const server = await openProviderServer(t, { carryOut, fail: { error: 'internal' } });
	const driversDir = mkdtempSync(join(tmpdir(), 'tokendrop-gateways-'));
	t.teardown(() => rmSync(driversDir, { recursive: true, force: true }));
	const declared = readFileSync(EXAMPLE, 'utf8').replace('https://api.acquirer.example', server.baseUrl);
	writeFileSync(join(driversDir, 'example-acquirer.yaml'), declared);
	return Object.assign(server, { payments, driversDir });
}
