// Writes gateway operations and credentials in the form of answers (shapes §7).

import { Type } from '@sinclair/typebox';
import { maskCredentials, type StoredCredentials } from '../../../work/payments/gateway/credentials.ts';
import type { GatewayDriver } from '../../../work/payments/gateway/driver.ts';
import { OPERATIONS, RESULTS } from '../../../work/payments/gateway/operation.ts';
import type { Transaction } from '../../../work/payments/gateway/transaction.ts';
import { answerOf } from '../calls/content.ts';
import { nullable } from '../calls/fields.ts';
import { CREATED, ID } from '../calls/samples.ts';

const OPERATION_MEMBERS = {
	OperationType: [Type.String({ enum: [...OPERATIONS] }), 'Charge'],
	OperationResultCode: [Type.String({ enum: [...RESULTS] }), 'Success'],
	OperationResultDescription: [Type.String(), 'Approved'],
	GatewayName: [Type.String(), 'Sandbox'],
	GatewayReference: [
		nullable('Names the payment in a later Capture, Refund or Void.'),
		'SBX-01KJPZ8Q4Y6T3WXA7N5C2DME9R',
	],
	GatewayResultCode: [nullable(), '00'],
	GatewayResultDescription: [nullable(), 'Approved'],
	AuthorizationCode: [nullable(), '2DME9R'],
	Amount: [Type.Union([Type.Number(), Type.Null()], { description: 'Major units.' }), 10.23],
	Currency: [nullable(), 'USD'],
} as const;
export const OPERATION = answerOf('PaymentGatewayResponse', 'PaymentGatewayResponse', OPERATION_MEMBERS);
export const TRANSACTION = answerOf('Transaction', 'PaymentGatewayTransaction', {
	TransactionID: [Type.String(), ID],
	State: [Type.String({ enum: ['sent', 'approved', 'declined', 'failed', 'unknown'] }), 'approved'],
	MyRef: [nullable(), 'order-1'],
	OriginalReference: [nullable('The payment it was about.'), null],
	CreateDate: [Type.String({ format: 'date-time' }), CREATED],
	SettleDate: [nullable('When its outcome was known.'), CREATED],
	...OPERATION_MEMBERS,
});
const GATEWAY_SHAPE = { root: 'PaymentGateway', items: { Operations: 'OperationType', Credentials: 'Credential' } };
export const GATEWAY = answerOf(GATEWAY_SHAPE, 'PaymentGatewayDriver', {
	Name: [Type.String(), 'Sandbox'],
	Operations: [Type.Array(Type.String({ enum: [...OPERATIONS] })), [...OPERATIONS]],
	Credentials: [
		Type.Array(
			Type.Object({
				Name: Type.String(),
				Description: Type.String(),
				Secret: Type.Boolean(),
				Required: Type.Boolean(),
			}),
		),
		[],
	],
});
export const CREDENTIALS = answerOf('GatewayCredentials', 'StoredGatewayCredentials', {
	CredentialsId: [Type.String(), 'shop-1'],
	Name: [Type.String(), 'Sandbox'],
	Credentials: [Type.Object({}, { additionalProperties: nullable(), description: 'Secrets masked.' }), {}],
	CreateDate: [Type.String({ format: 'date-time' }), CREATED],
	UpdateDate: [Type.String({ format: 'date-time' }), CREATED],
});

/**
 * Returns an operation in the form of an answer. Its amount is a JSON number of major units (shapes §7), which is exact
 * because it has at most 15 digits.
 */
export function operationDocument({ operation, outcome, gateway, amount }: Transaction) {
	return {
		OperationType: operation,
		OperationResultCode: outcome.result,
		OperationResultDescription: outcome.description,
		GatewayName: gateway,
		GatewayReference: outcome.gatewayReference,
		GatewayResultCode: outcome.gatewayResultCode,
		GatewayResultDescription: outcome.gatewayResultDescription,
		AuthorizationCode: outcome.authorizationCode,
		Amount: amount ? Number(amount.text) : null,
		Currency: amount?.currency ?? null,
	};
}

/** Returns a transaction in the form of an answer, with everything that is known of it now (shapes §7). */
export function transactionDocument(transaction: Transaction) {
	return {
		TransactionID: transaction.id,
		State: transaction.state,
		MyRef: transaction.myRef,
		OriginalReference: transaction.originalReference,
		CreateDate: transaction.createdAt.toISOString(),
		SettleDate: transaction.settledAt?.toISOString() ?? null,
		...operationDocument(transaction),
	};
}

/** Returns the description of a gateway in the form of an answer, so that callers can choose a gateway (shapes §7). */
export function gatewayDocument({ name, operations, credentialsSchema }: GatewayDriver) {
	return {
		Name: name,
		Operations: operations,
		Credentials: credentialsSchema.map((field) => ({
			Name: field.name,
			Description: field.description,
			Secret: field.isSecret,
			Required: field.isRequired,
		})),
	};
}

/**
 * Returns stored credentials in the form of an answer. `driver` is undefined if the gateway was removed after the
 * credentials were stored; then none of their values are shown.
 */
export function credentialsDocument(id: string, stored: StoredCredentials, driver: GatewayDriver | undefined) {
	return {
		CredentialsId: id,
		Name: stored.gateway,
		Credentials: driver ? maskCredentials(driver, stored.credentials) : {},
		CreateDate: stored.createdAt.toISOString(),
		UpdateDate: stored.updatedAt.toISOString(),
	};
}
