// Makes the calls with which most tests of the token routes begin.

import type { LightMyRequestResponse } from 'fastify';
import type { Call, Caller } from './http-app.ts';

export const VISA = '4111111111111111';

/** Returns card data in JSON (shapes §2); the given members replace the usual ones. */
export function cardJson(card: object = {}): string {
	const expiry = { Month: '04', Year: '2030' };
	return JSON.stringify({ BankCard: { Type: 'Visa', Number: VISA, ExpirationDate: expiry, ...card } });
}

/** Returns card data in XML, with the elements in the given order. */
export function cardXml(
	elements = `<Number>${VISA}</Number><ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate>`,
): string {
	return `<BankCardDetails schemaVersion="1.0"><BankCard>${elements}</BankCard></BankCardDetails>`;
}

export function json(payload: string | object, headers: Record<string, string> = {}): Call {
	const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
	return { payload: text, headers: { 'content-type': 'application/json', accept: 'application/json', ...headers } };
}

export function xml(payload: string, headers: Record<string, string> = {}): Call {
	return { payload, headers: { 'content-type': 'application/xml', accept: 'application/xml', ...headers } };
}

/** These headers ask for JSON, for successes and for errors. */
export const asJson: Call = { headers: { accept: 'application/json' } };

export function postCard(caller: Caller, query = '', card: object = {}): Promise<LightMyRequestResponse> {
	return caller.inject('POST', `/api/payments/paycard${query}`, json(cardJson(card)));
}

/** Stores a card and returns its token. */
export async function storeCard(caller: Caller, query = '', card: object = {}): Promise<string> {
	const response = await postCard(caller, query, card);
	if (response.statusCode !== 201) throw new Error(`not stored: ${response.body}`);
	return tokenOf(response);
}

export function tokenOf(response: Pick<LightMyRequestResponse, 'headers'>): string {
	return String(response.headers.location).slice(-32);
}
