// Makes calls of the payment gateway over HTTP.

import type { ExecutionContext } from 'ava';
import { json, VISA } from './card-calls.ts';
import { type Caller, type HttpAppOptions, openHttpApp } from './http-app.ts';

export const GATEWAY_PATH = '/api/paymentGateway';
export const CARD = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' }, CVV: '306' };
export const SANDBOX = { PaymentGateway: { Name: 'Sandbox' } };
export const CHARGE = {
	OperationType: 'Charge',
	Card: CARD,
	MyRef: 'order-1',
	Amount: 10.23,
	Currency: 'USD',
	...SANDBOX,
};
const DEADLINE_MS = 300;

/** Opens the app with an account that can use the gateways of the sandbox. */
export async function openPayer(
	t: ExecutionContext,
	options: HttpAppOptions = {},
	dialect: 'sqlite' | 'postgres' = 'sqlite',
) {
	const parts = await openHttpApp(t, dialect, {
		...options,
		gateway: { deadlineMs: DEADLINE_MS, ...options.gateway },
	});
	return { parts, caller: await parts.createCaller('agency', { cvvRetention: true }) };
}

/** Calls the gateway and returns its answer, whether it succeeded or not. */
export const operate = (caller: Caller, body: object | string, query = '', headers: Record<string, string> = {}) =>
	caller.inject('POST', `${GATEWAY_PATH}${query}`, json(body, headers));
