// Reads and checks the body of a gateway operation (spec §2.7, shapes §7, §11).

import { CARD_TYPES } from '../../../base/card/brand.ts';
import { cardNumberProblem } from '../../../base/card/spelling/clear-text.ts';
import { badInput } from '../../../base/errors.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { GatewayDriver } from '../../../work/payments/gateway/driver.ts';
import { type Money, readMoney } from '../../../work/payments/gateway/money.ts';
import {
	CARD_OPERATIONS,
	type GatewayCard,
	MOVING_OPERATIONS,
	type Operation,
	type Order,
	type PayerDetails,
} from '../../../work/payments/gateway/operation.ts';
import type { Members } from '../input/members.ts';
import { getBankCard } from '../tokens/card-body.ts';
import type { BankCard } from '../tokens/card-schema.ts';
import { findTokenOfUri } from '../tokens/token-uri.ts';
import type { GatewayOrder } from './order-schema.ts';

export interface OrderBody {
	readonly order: Order;
	readonly card: GatewayCard | undefined;
	readonly token: Token | undefined;
}

/**
 * Reads a gateway operation from the body: everything except the gateway and its credentials.
 * @throws ServiceError if a member is missing or invalid
 */
export function readOrder(
	body: Members<GatewayOrder>,
	operation: Operation,
	driver: GatewayDriver,
	now: Date,
): OrderBody {
	if (!driver.operations.includes(operation)) {
		throw body.problem('OperationType', `this gateway knows ${driver.operations.join(', ')}`);
	}
	const beginsPayment = CARD_OPERATIONS.has(operation);
	const order: Order = {
		operation,
		amount: readAmount(body, operation),
		myRef: body.findText('MyRef'),
		gatewayReference: beginsPayment ? undefined : body.getText('GatewayReference'),
		payer: readPayer(body),
	};
	return { order, ...(beginsPayment ? readCardOrToken(body, now) : { card: undefined, token: undefined }) };
}

/** Reads the amount. It is required except for a Void, which always cancels the whole payment. */
function readAmount(body: Members<GatewayOrder>, operation: Operation): Money | undefined {
	if (operation === 'Void' && !body.has('Amount')) return undefined;
	const money = readMoney(body.getText('Amount'), body.getText('Currency').toUpperCase());
	if ('field' in money) throw body.problem(money.field, money.expectation);
	if (money.minor === 0 && MOVING_OPERATIONS.has(operation)) throw body.problem('Amount', 'expected more than zero');
	return money;
}

/** Reads the card or the token: exactly one of them must be present (spec §2.7). */
function readCardOrToken(body: Members<GatewayOrder>, now: Date): Pick<OrderBody, 'card' | 'token'> {
	const card = body.findObject('Card');
	const uri = body.findText('CardToken');
	if (card && uri !== undefined) throw body.problem('CardToken', 'expected either Card or CardToken, not both');
	if (card) return { card: cardOf(card, now), token: undefined };
	if (uri === undefined) throw body.problem('CardToken', 'expected a token URI, or a card in Card');
	const token = findTokenOfUri(uri);
	if (token === undefined) throw body.problem('CardToken', 'expected a token URI');
	return { card: undefined, token };
}

function cardOf(members: Members<BankCard>, now: Date): GatewayCard {
	const { card, cvv, masked } = getBankCard(members, now);
	return {
		number: card.number,
		expiryMonth: masked.ExpirationDate!.Month,
		expiryYear: masked.ExpirationDate!.Year,
		cvv,
		name: masked.NameOnCard ?? undefined,
		type: masked.Type ?? CARD_TYPES[0],
	};
}

function readPayer(body: Members<GatewayOrder>): PayerDetails {
	const payer = body.findObject('PayerDetails');
	if (!payer) return {};
	const country = payer.findText('Country')?.toUpperCase();
	return {
		email: payer.findText('Email'),
		phone: payer.findText('Phone'),
		ipAddress: payer.findText('IpAddress'),
		street: payer.findText('Street'),
		city: payer.findText('City'),
		postalCode: payer.findText('PostalCode'),
		state: payer.findText('State'),
		country,
	};
}

/**
 * Refuses a gateway reference that may be a card number, because it is stored in clear. But some gateways give
 * references of 16 digits, so a reference is accepted if it belongs to a payment that this service knows.
 * @throws ServiceError
 */
export async function refuseNumber(
	{ gatewayReference }: Order,
	isKnown: (gatewayReference: string) => Promise<boolean>,
): Promise<void> {
	if (gatewayReference === undefined) return;
	const problem = cardNumberProblem(gatewayReference);
	if (problem === undefined || (await isKnown(gatewayReference))) return;
	throw badInput('GatewayReference', problem);
}
