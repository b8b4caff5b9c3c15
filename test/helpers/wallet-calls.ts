// Makes the calls of the payments library.

import type { ExecutionContext } from 'ava';
import type { LightMyRequestResponse } from 'fastify';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { asJson, cardJson, json } from './card-calls.ts';
import { type Caller, type HttpApp, openHttpApp } from './http-app.ts';

export const WALLET = '/api/eWalletOperation';
export const WALLET_SESSION = `${WALLET}/session`;
export const WALLET_TOKENIZE = `${WALLET_SESSION}/tokenize`;
/** A session that charges through the sandbox gateway. */
export const CHARGE = { operation: 'CHARGE', amount: 10.23, currencyCode: 'USD', gateway: 'Sandbox' };
export const CHARGE_AND_TOKENIZE = { ...CHARGE, operation: 'CHARGE_AND_TOKENIZE' };
/** A card that the sandbox gateway rejects. */
export const REJECTED = { Number: '4000000000000002' };
export const MASTERCARD = '5555555555554444';

/** Opens parts that soon give up on their gateway, and an account that keeps CVVs. */
export async function openWalletApp(t: ExecutionContext, dialect: Dialect = 'sqlite') {
	const parts = await openHttpApp(t, dialect, { gateway: { deadlineMs: 300 } });
	return { parts, caller: await parts.createCaller('agency', { cvvRetention: true }) };
}

/** Makes a session and returns its token. */
export async function beginSession(caller: Caller, body: object = { operation: 'TOKENIZE' }): Promise<string> {
	const response = await caller.inject('POST', WALLET, json(body));
	if (response.statusCode !== 200) throw new Error(`no session: ${response.statusCode} ${response.body}`);
	return response.json().token;
}

export function bearer(token: string, more: Record<string, string> = {}): Record<string, string> {
	return { authorization: `Bearer ${token}`, ...more };
}

/** Carries out a session with a test card, whose members `card` replaces. */
export function sendCard(
	{ app }: HttpApp,
	token: string,
	card: object = {},
	headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
	return app.inject({ method: 'POST', url: WALLET_TOKENIZE, ...json(cardJson(card), bearer(token, headers)) });
}

export function lookAtSession({ app }: HttpApp, token: string): Promise<LightMyRequestResponse> {
	return app.inject({ method: 'GET', url: WALLET_SESSION, headers: bearer(token, { accept: 'application/json' }) });
}

export async function readResults(caller: Caller, token: string) {
	return (await caller.inject('POST', `${WALLET}/validateResults`, json({ token }))).json();
}

/** Returns what the gateway was asked, oldest first. */
export async function listPayments(caller: Caller): Promise<{ MyRef: string; State: string }[]> {
	return (await caller.inject('GET', '/api/paymentGateway/transactions', asJson)).json();
}

export async function countCards(caller: Caller): Promise<number> {
	return (await caller.inject('GET', '/api/payments/paycard/meta', asJson)).json().length;
}

/** Returns every session call, as the OpenAPI document lists them. */
export async function sessionCalls({ app }: HttpApp) {
	const { paths } = (await app.inject({ method: 'GET', url: '/openapi.json' })).json();
	const calls = Object.entries<Record<string, { security: object[] }>>(paths).flatMap(([url, methods]) =>
		Object.entries(methods)
			.filter(([method]) => method !== 'head' && url.startsWith(WALLET_SESSION))
			.map(([method, { security }]) => ({ url, method: method.toUpperCase() as 'GET' | 'POST', security })),
	);
	if (calls.length < 2) throw new Error('the session calls are not described');
	return calls;
}
