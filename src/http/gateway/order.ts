// The body of a gateway operation (spec §2.7, shapes §7, §11), read and checked.

import { CARD_TYPES } from '../../card/brand.ts';
import { holdsCardNumber } from '../../card/spelled-number.ts';
import { ServiceError } from '../../errors.ts';
import type { GatewayDriver } from '../../gateway/driver.ts';
import { type Money, readMoney } from '../../gateway/money.ts';
import {
	CARD_OPERATIONS,
	type GatewayCard,
	MOVING_OPERATIONS,
	OPERATIONS,
	type Operation,
	type Order,
	type PayerDetails,
} from '../../gateway/operation.ts';
import type { Token } from '../../vault/token.ts';
import type { Members } from '../input/members.ts';
import { findReferenceValue } from '../input/query-values.ts';
import { getBankCard } from '../tokens/card-body.ts';
import { findTokenOfUri } from '../tokens/token-uri.ts';

const MAX_PAYER_CHARACTERS = 255;
/**
 * Whatever a gateway may have called a payment. It becomes part of an address at the provider, encoded; between slashes
 * no dots alone, for a provider that decodes first and looks for steps then.
 */
const GATEWAY_REFERENCE = /^(?!(.*[/\\])?\.+([/\\]|$))[!-~]{1,255}$/;

export interface OrderBody {
	readonly order: Order;
	readonly card: GatewayCard | undefined;
	readonly token: Token | undefined;
}

/** What is asked of which operation. @throws ServiceError */
export function readOperation(body: Members): Operation {
	const text = body.getText('OperationType').toLowerCase();
	const operation = OPERATIONS.find((each) => each.toLowerCase() === text);
	if (!operation) throw body.problem('OperationType', `expected one of ${OPERATIONS.join(', ')}`);
	return operation;
}

/** Everything but the gateway and its credentials. @throws ServiceError */
export function readOrder(body: Members, operation: Operation, driver: GatewayDriver, now: Date): OrderBody {
	if (!driver.operations.includes(operation)) {
		throw body.problem('OperationType', `this gateway knows ${driver.operations.join(', ')}`);
	}
	const beginsPayment = CARD_OPERATIONS.has(operation);
	const order: Order = {
		operation,
		amount: readAmount(body, operation),
		myRef: findReferenceValue('MyRef', body.findText('MyRef')),
		gatewayReference: beginsPayment ? undefined : readGatewayReference(body),
		payer: readPayer(body),
	};
	return { order, ...(beginsPayment ? readCardOrToken(body, now) : { card: undefined, token: undefined }) };
}

/** Required but for a Void, which is of the whole payment. */
function readAmount(body: Members, operation: Operation): Money | undefined {
	if (operation === 'Void' && !body.has('Amount')) return undefined;
	const money = readMoney(body.getText('Amount'), body.getText('Currency').toUpperCase());
	if ('field' in money) throw body.problem(money.field, money.expectation);
	if (money.minor === 0 && MOVING_OPERATIONS.has(operation)) throw body.problem('Amount', 'expected more than zero');
	return money;
}

function readGatewayReference(body: Members): string {
	const text = body.getText('GatewayReference');
	if (!GATEWAY_REFERENCE.test(text)) throw body.problem('GatewayReference', 'expected a reference of the gateway');
	return text;
}

/** Either of the two (spec §2.7). */
function readCardOrToken(body: Members, now: Date): Pick<OrderBody, 'card' | 'token'> {
	const card = body.findObject('Card');
	const uri = body.findText('CardToken');
	if (card && uri !== undefined) throw body.problem('CardToken', 'expected either Card or CardToken, not both');
	if (card) return { card: cardOf(card, now), token: undefined };
	if (uri === undefined) throw body.problem('CardToken', 'expected a token URI, or a card in Card');
	const token = findTokenOfUri(uri);
	if (token === undefined) throw body.problem('CardToken', 'expected a token URI');
	return { card: undefined, token };
}

function cardOf(members: Members, now: Date): GatewayCard {
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

function readPayer(body: Members): PayerDetails {
	const payer = body.findObject('PayerDetails');
	if (!payer) return {};
	const text = (name: string) => {
		const value = payer.findText(name);
		if (value !== undefined && value.length > MAX_PAYER_CHARACTERS) {
			throw payer.problem(name, `longer than ${MAX_PAYER_CHARACTERS} characters`);
		}
		if (value !== undefined && holdsCardNumber(value)) throw payer.problem(name, 'looks like a card number');
		return value;
	};
	const country = text('Country')?.toUpperCase();
	if (country !== undefined && !/^[A-Z]{2}$/.test(country)) throw payer.problem('Country', 'expected two letters');
	return {
		...{ email: text('Email'), phone: text('Phone'), ipAddress: text('IpAddress'), street: text('Street') },
		...{ city: text('City'), postalCode: text('PostalCode'), state: text('State'), country },
	};
}

/**
 * Some gateways give references of 16 digits. One that may be a card number is taken only for a payment that is known
 * here: it is kept in clear. @throws ServiceError
 */
export async function refuseNumber(
	{ gatewayReference }: Order,
	isKnown: (gatewayReference: string) => Promise<boolean>,
): Promise<void> {
	if (gatewayReference === undefined || !holdsCardNumber(gatewayReference) || (await isKnown(gatewayReference))) return;
	throw new ServiceError('bad-input-data', { field: 'GatewayReference', problem: 'looks like a card number' });
}
