// Makes the payment of a session: it finds the gateway and the credentials, and gives each attempt an idempotency key,
// so that an attempt that is repeated does not charge twice.

import { CARD_TYPES } from '../../../base/card/brand.ts';
import type { Cvv } from '../../../base/card/clear-cvv.ts';
import { writtenExpiry } from '../../../base/card/expiry.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import type { Principal } from '../../../people/identity/principal.ts';
import type { NewCard } from '../../../vault/cards/new-card.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Order } from '../gateway/operation.ts';
import type { Transaction } from '../gateway/transaction.ts';
import type { WalletSession } from './session.ts';

export type ChosenGateway = Awaited<ReturnType<typeof getGateway>>;

/**
 * Returns the gateway of a session, with its credentials. They are looked up again for each call, because credentials
 * may have been changed or removed since the session was created.
 * @throws ServiceError if the gateway or the credentials do not exist
 */
export async function getGateway(
	gateway: Gateway,
	{ ownerId }: Pick<Principal, 'ownerId'>,
	{ gateway: name, credentialsId }: Pick<WalletSession, 'gateway' | 'credentialsId'>,
) {
	const driver = name === undefined ? undefined : gateway.findDriver(name);
	if (!driver) throw badInput('gateway', 'no such gateway');
	if (credentialsId === undefined) return { driver, credentials: {}, credentialsId };
	const stored = await gateway.credentials.find(ownerId, credentialsId);
	if (stored?.gateway.toLowerCase() !== driver.name.toLowerCase())
		throw badInput('credentialsId', 'no such credentials');
	return { driver, credentials: stored.credentials, credentialsId };
}

export interface Payment {
	readonly session: WalletSession;
	readonly operation: 'Charge' | 'PreAuth';
	readonly chosen: ChosenGateway;
	readonly card: NewCard;
	readonly cvv: Cvv | undefined;
	readonly principal: Principal;
	readonly attempt: number;
}

/** If this attempt was made before, its result is returned, so that a repeated call never charges twice. */
export async function pay(
	gateway: Gateway,
	{ session, operation, chosen, card, cvv, principal, attempt }: Payment,
): Promise<Transaction & { readonly isReplay: boolean }> {
	const { id, amount, myRef } = session;
	const order: Order = { operation, amount, myRef: myRef ?? id, gatewayReference: undefined, payer: {} };
	const { number, expiry, type, name } = card;
	try {
		return await gateway.operate({
			caller: principal,
			...chosen,
			order,
			card: { number, ...writtenExpiry(expiry), cvv, name, type: CARD_TYPES[type] },
			stored: undefined,
			// Idempotency keys that callers choose contain no blank, so none of them can be the same as this one.
			callerKey: `wallet session ${id} ${attempt}`,
		});
	} catch (error) {
		// The journal refuses to repeat an attempt with other data than the first time. The order comes from the session
		// and is always the same, so it must be the card that differs.
		const isOther = error instanceof ServiceError && error.field === 'Idempotency-Key';
		if (!isOther) throw error;
		throw badInput('session', 'a payment with another card is in progress', undefined, error);
	}
}
