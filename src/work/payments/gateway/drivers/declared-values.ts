// Provides the values that templates of a declared gateway can name.

import type { CallContext } from '../driver.ts';
import { CARD_OPERATIONS, type Operation, type Order } from '../operation.ts';
import type { Values } from './template.ts';

const ALWAYS = ['transactionId', 'idempotencyKey', 'myRef', 'operation'];
const AMOUNT = ['amount', 'amount.minor', 'currency'];
const REFERENCE = ['gatewayReference'];
const CARD = [
	...['card.number', 'card.expiryMonth', 'card.expiryYear', 'card.expiryYear2', 'card.cvv', 'card.name', 'card.type'],
];
const PAYER = [
	...['payer.email', 'payer.phone', 'payer.ipAddress', 'payer.street', 'payer.city', 'payer.postalCode'],
	...['payer.state', 'payer.country'],
];

/** Describes a credential that a declaration asks of accounts. */
export interface DeclaredCredential {
	readonly name: string;
	readonly required: boolean;
}

/** Returns the values that a caller may omit: only a section that is left out without them can use them. */
export function optionalValues(credentials: readonly DeclaredCredential[]): ReadonlySet<string> {
	const given = credentials.filter(({ required }) => !required).map(({ name }) => `credentials.${name}`);
	return new Set(['myRef', 'card.cvv', 'card.name', ...PAYER, ...given]);
}

/**
 * Returns the names of the values that the templates of a call may use. A status query has only the stored part of an
 * order, which includes no card.
 */
export function valueNames(call: Operation | 'query', credentials: readonly DeclaredCredential[]): Set<string> {
	const names = [...ALWAYS, ...credentials.map(({ name }) => `credentials.${name}`)];
	if (call === 'query') return new Set([...names, ...AMOUNT, ...REFERENCE]);
	if (call !== 'Void') names.push(...AMOUNT);
	names.push(...(CARD_OPERATIONS.has(call) ? [...CARD, ...PAYER] : REFERENCE));
	return new Set(names);
}

export function valuesOf(order: Order, { attemptId, idempotencyKey, card, credentials }: CallContext): Values {
	const { operation, amount, myRef, gatewayReference, payer } = order;
	const values = new Map<string, string | undefined>([
		...([
			['transactionId', attemptId],
			['idempotencyKey', idempotencyKey],
		] as const),
		...([
			['operation', operation],
			['myRef', myRef],
			['gatewayReference', gatewayReference],
		] as const),
		...([
			['amount', amount?.text],
			['amount.minor', amount && String(amount.minor)],
		] as const),
		...([['currency', amount?.currency]] as const),
	]);
	for (const [name, secret] of Object.entries(credentials)) values.set(`credentials.${name}`, secret.reveal());
	for (const [name, value] of Object.entries(payer)) values.set(`payer.${name}`, value);
	if (!card) return values;
	values.set('card.number', card.number.reveal());
	values.set('card.expiryMonth', card.expiryMonth);
	values.set('card.expiryYear', card.expiryYear);
	values.set('card.expiryYear2', card.expiryYear.slice(-2));
	values.set('card.cvv', card.cvv?.reveal());
	values.set('card.name', card.name);
	values.set('card.type', card.type);
	return values;
}

/** Returns sample values with which templates are tried at start: one for each name except those in `absent`. */
export function sampleValues(names: ReadonlySet<string>, absent: ReadonlySet<string>): Values {
	const sample = (name: string) => (name === 'amount' ? '10.23' : name === 'amount.minor' ? '1023' : 'x');
	return new Map([...names].map((name) => [name, absent.has(name) ? undefined : sample(name)]));
}
