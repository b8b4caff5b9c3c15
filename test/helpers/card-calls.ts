// Calls that most tests of the token routes begin with.

import type { LightMyRequestResponse } from 'fastify';
import type { Call, Caller } from './http-rooms.ts';

export const VISA = '4111111111111111';

/** Card data in JSON (shapes §2); members given win. */
export function cardJson(card: object = {}): string {
	const expiry = { Month: '04', Year: '2030' };
	return JSON.stringify({ BankCard: { Type: 'Visa', Number: VISA, ExpirationDate: expiry, ...card } });
}

/** The same in XML, elements as given. */
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

/** JSON wanted for successes and errors. */
export const asJson: Call = { headers: { accept: 'application/json' } };

export function postCard(caller: Caller, query = '', card: object = {}): Promise<LightMyRequestResponse> {
	return caller.inject('POST', `/api/payments/paycard${query}`, json(cardJson(card)));
}

/** Stores a card and gives its token. */
export async function storeCard(caller: Caller, query = '', card: object = {}): Promise<string> {
	const response = await postCard(caller, query, card);
	if (response.statusCode !== 201) throw new Error(`not stored: ${response.body}`);
	return tokenOf(response);
}

export function tokenOf(response: Pick<LightMyRequestResponse, 'headers'>): string {
	return String(response.headers.location).slice(-32);
}
