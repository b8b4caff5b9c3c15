// Reads the body with which a session of the payments library is created, and checks that its members fit together
// (shapes §8).

import { type Permission, requirePermission } from '../../../people/identity/permissions.ts';
import type { Principal } from '../../../people/identity/principal.ts';
import type { GatewayDriver } from '../../../work/payments/gateway/driver.ts';
import type { Gateway } from '../../../work/payments/gateway/gateway.ts';
import { type Money, readMoney } from '../../../work/payments/gateway/money.ts';
import { MOVING_OPERATIONS, type Operation } from '../../../work/payments/gateway/operation.ts';
import { STEPS, type WalletOperation } from '../../../work/payments/wallet/operation.ts';
import type { SessionPlan } from '../../../work/payments/wallet/session.ts';
import { isCredentialsId } from '../gateway/credentials.ts';
import { FieldProblems } from '../input/field-problems.ts';
import type { Members } from '../input/members.ts';
import { cvvToKeep } from '../input/query-values.ts';
import { findCardTypes } from '../tokens/card-body.ts';
import type { WalletOrder } from './order-schema.ts';

/** The body may have `PAYMENT_MEMBERS` only if the session pays, and `STORE_MEMBERS` only if it stores a card. */
const PAYMENT_MEMBERS = ['gateway', 'credentialsId'] as const;
const STORE_MEMBERS = ['ref', 'merchantId', 'saveCVV'] as const;

/**
 * Checks that the caller has all permissions that the session needs.
 * @throws ServiceError if one is missing
 */
export function requirePermissions(principal: Pick<Principal, 'permissions'>, needed: readonly Permission[]): void {
	for (const permission of needed) requirePermission(principal, permission);
}

/** The objects that are needed to check the body with which a session is created. */
export interface WalletRules {
	readonly gateway: Gateway;
	readonly principal: Principal;
	/**
	 * Finds the account that a merchant id names.
	 * @throws ServiceError if the card cannot be associated with that account
	 */
	resolveMerchant(merchantId: string): Promise<unknown>;
}

/**
 * Reads and checks the whole body.
 * @throws FieldErrors with every problem of the body; ServiceError if the key lacks a permission or a CVV is to be kept
 * that the account may not keep
 */
export async function readWalletPlan(body: Members<WalletOrder>, rules: WalletRules): Promise<SessionPlan> {
	const problems = new FieldProblems();
	const operation = problems.read(() => body.getText('operation'));
	if (operation) requirePermissions(rules.principal, STEPS[operation].permissions);
	const storesCard = operation === undefined || STEPS[operation].storesCard;
	const wishes = {
		myRef: problems.read(() => body.findText('myRef')),
		reference: storesCard ? problems.read(() => body.findText('ref')) : undefined,
		merchantId: storesCard ? problems.read(() => body.findText('merchantId')) : undefined,
		saveCvv: storesCard ? problems.read(() => body.findBoolean('saveCVV')) : undefined,
		cardTypes: problems.read(() => findCardTypes(body, 'cardTypes')),
	};
	if (operation === undefined) {
		noteUnlessNothingIsPaid(body, problems);
		return problems.fail();
	}
	const reason = `only for an operation that stores, not for ${operation}`;
	if (!storesCard) refuseMembers(body, STORE_MEMBERS, reason, problems);
	checkSaveCvv(operation, wishes.saveCvv, { principal: rules.principal, problems });
	const paid = await readPayment(body, operation, { ...rules, problems });
	if (wishes.merchantId !== undefined) await rules.resolveMerchant(wishes.merchantId).catch((e) => problems.note(e));
	problems.throwIfAny();
	return { operation, ...paid, ...wishes };
}

/**
 * Notes which members of a payment are missing, if the body names no valid operation. Then only those members can be
 * checked that every operation except `TOKENIZE` requires.
 */
function noteUnlessNothingIsPaid(body: Members<WalletOrder>, problems: FieldProblems): void {
	const exception = 'is required unless the operation is TOKENIZE';
	for (const name of ['amount', 'currencyCode'] as const) if (!body.has(name)) problems.add(name, exception);
	if (body.has('amount') && body.has('currencyCode')) readAmount(body, undefined, problems);
	if (body.has('gateway') || body.has('credentialsId')) return;
	problems.add('credentialsId', `${exception} or gateway names one that needs no credentials`);
}

function checkSaveCvv(
	operation: WalletOperation,
	saveCvv: boolean | undefined,
	{ principal, problems }: { readonly principal: Principal; readonly problems: FieldProblems },
): void {
	if (saveCvv && STEPS[operation].payment)
		problems.add('saveCVV', 'a CVV is not kept once a payment was authorised with it');
	else cvvToKeep(undefined, principal, saveCvv);
}

async function readPayment(
	body: Members<WalletOrder>,
	operation: WalletOperation,
	{ gateway, principal, problems }: WalletRules & { readonly problems: FieldProblems },
): Promise<Pick<SessionPlan, 'amount' | 'gateway' | 'credentialsId'>> {
	const { payment } = STEPS[operation];
	const amount = readAmount(body, payment, problems);
	if (!payment) {
		refuseMembers(body, PAYMENT_MEMBERS, `only for an operation that pays, not for ${operation}`, problems);
		return { amount, gateway: undefined, credentialsId: undefined };
	}
	const text = (name: 'credentialsId' | 'gateway') => problems.read(() => body.findText(name));
	const credentialsId = text('credentialsId');
	const driver = await findDriver({ name: text('gateway'), credentialsId }, { gateway, principal, problems });
	if (driver && !driver.operations.includes(payment)) {
		problems.add('operation', `this gateway knows ${driver.operations.join(', ')}`);
	}
	return { amount, gateway: driver?.name, credentialsId };
}

function refuseMembers(
	body: Members<WalletOrder>,
	names: readonly (keyof WalletOrder)[],
	reason: string,
	problems: FieldProblems,
): void {
	for (const name of names) if (body.has(name)) problems.add(name, reason);
}

/** Reads the amount and the currency. Both are required if the session pays; otherwise both may be absent. */
function readAmount(
	body: Members<WalletOrder>,
	payment: Operation | undefined,
	problems: FieldProblems,
): Money | undefined {
	if (!payment && !body.has('amount') && !body.has('currencyCode')) return undefined;
	const amount = problems.read(() => body.getText('amount'));
	const currencyCode = problems.read(() => body.getText('currencyCode'));
	if (amount === undefined || currencyCode === undefined) return undefined;
	const money = readMoney(amount, currencyCode.toUpperCase());
	if ('field' in money) problems.add(money.field === 'Amount' ? 'amount' : 'currencyCode', money.expectation);
	else if (money.minor > 0 || !payment || !MOVING_OPERATIONS.has(payment)) return money;
	else problems.add('amount', 'expected more than zero');
	return undefined;
}

/**
 * Finds the gateway of a payment: by the id of stored credentials or, if the gateway needs no credentials, by its name.
 * The body that creates a session never contains the credentials themselves.
 */
async function findDriver(
	{ name, credentialsId }: Record<'name' | 'credentialsId', string | undefined>,
	parts: { readonly gateway: Gateway; readonly principal: Principal; readonly problems: FieldProblems },
): Promise<GatewayDriver | undefined> {
	const { gateway, principal, problems } = parts;
	const named = name === undefined ? undefined : gateway.findDriver(name);
	if (name !== undefined && !named) {
		problems.add('gateway', `expected one of ${gateway.drivers.map((driver) => driver.name).join(', ')}`);
	}
	if (credentialsId === undefined) {
		if (name === undefined)
			problems.add('credentialsId', 'is required unless gateway names one that needs no credentials');
		if (named?.credentialsSchema.some(({ isRequired }) => isRequired)) {
			problems.add('credentialsId', 'is required: this gateway needs credentials');
		}
		return named;
	}
	const stored = isCredentialsId(credentialsId)
		? await gateway.credentials.find(principal.ownerId, credentialsId)
		: undefined;
	const driver = stored && gateway.findDriver(stored.gateway);
	if (!driver) problems.add('credentialsId', 'no such credentials');
	if (driver && named && named !== driver) problems.add('gateway', 'the credentials are for another gateway');
	return driver;
}
