// Calls of the payment gateway over HTTP.

import type { ExecutionContext } from 'ava';
import { json, VISA } from './card-calls.ts';
import { type Caller, type HttpRoomsOptions, openHttpRooms } from './http-rooms.ts';

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

/** An account with the gateways of the sandbox. */
export async function openPayer(
	t: ExecutionContext,
	options: HttpRoomsOptions = {},
	dialect: 'sqlite' | 'postgres' = 'sqlite',
) {
	const rooms = await openHttpRooms(t, dialect, {
		...options,
		gateway: { deadlineMs: DEADLINE_MS, ...options.gateway },
	});
	return { rooms, caller: await rooms.createCaller('agency', { cvvRetention: true }) };
}

/** A call of the gateway, whatever comes of it. */
export const operate = (caller: Caller, body: object | string, query = '', headers: Record<string, string> = {}) =>
	caller.inject('POST', `${GATEWAY_PATH}${query}`, json(body, headers));
