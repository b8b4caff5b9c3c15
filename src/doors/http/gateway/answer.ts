// Writes gateway operations and credentials in the form of answers (shapes §7).

import { Type } from '@sinclair/typebox';
import { maskCredentials, type StoredCredentials } from '../../../work/payments/gateway/credentials.ts';
import type { GatewayDriver } from '../../../work/payments/gateway/driver.ts';
import { OPERATIONS, RESULTS } from '../../../work/payments/gateway/operation.ts';
import type { Transaction } from '../../../work/payments/gateway/transaction.ts';
import { nullable } from '../calls/fields.ts';
import { CREATED, ID } from '../calls/samples.ts';
import { named } from '../input/schema-notes.ts';

const amount = Type.Union([Type.Number(), Type.Null()], { description: 'Major units.' });

const OPERATION = {
	OperationType: Type.String({ enum: [...OPERATIONS] }),
	OperationResultCode: Type.String({ enum: [...RESULTS] }),
	OperationResultDescription: Type.String(),
	GatewayName: Type.String(),
	GatewayReference: nullable('Names the payment in a later Capture, Refund or Void.'),
	GatewayResultCode: nullable(),
	GatewayResultDescription: nullable(),
	AuthorizationCode: nullable(),
	Amount: amount,
	Currency: nullable(),
};
export const OPERATION_ANSWER = named('PaymentGatewayResponse', Type.Object(OPERATION));
export const TRANSACTION = named(
	'PaymentGatewayTransaction',
	Type.Object({
		TransactionID: Type.String(),
		State: Type.String({ enum: ['sent', 'approved', 'declined', 'failed', 'unknown'] }),
		MyRef: nullable(),
		OriginalReference: nullable('The payment it was about.'),
		CreateDate: Type.String({ format: 'date-time' }),
		SettleDate: nullable('When its outcome was known.'),
		...OPERATION,
	}),
);
export const GATEWAY = named(
	'PaymentGatewayDriver',
	Type.Object({
		Name: Type.String(),
		Operations: Type.Array(Type.String({ enum: [...OPERATIONS] })),
		Credentials: Type.Array(
			Type.Object({
				Name: Type.String(),
				Description: Type.String(),
				Secret: Type.Boolean(),
				Required: Type.Boolean(),
			}),
		),
	}),
);
export const CREDENTIALS = named(
	'StoredGatewayCredentials',
	Type.Object({
		CredentialsId: Type.String(),
		Name: Type.String(),
		Credentials: Type.Object({}, { additionalProperties: nullable(), description: 'Secrets masked.' }),
		CreateDate: Type.String({ format: 'date-time' }),
		UpdateDate: Type.String({ format: 'date-time' }),
	}),
);

export const OPERATION_EXAMPLE = {
	OperationType: 'Charge',
	OperationResultCode: 'Success',
	OperationResultDescription: 'Approved',
	GatewayName: 'Sandbox',
	GatewayReference: 'SBX-01KJPZ8Q4Y6T3WXA7N5C2DME9R',
	GatewayResultCode: '00',
	GatewayResultDescription: 'Approved',
	AuthorizationCode: '2DME9R',
	Amount: 10.23,
	Currency: 'USD',
};
export const TRANSACTION_EXAMPLE = {
	TransactionID: ID,
	State: 'approved',
	MyRef: 'order-1',
	OriginalReference: null,
	CreateDate: CREATED,
	SettleDate: CREATED,
	...OPERATION_EXAMPLE,
};
export const GATEWAY_EXAMPLE = { Name: 'Sandbox', Operations: OPERATIONS, Credentials: [] };
export const CREDENTIALS_EXAMPLE = {
	CredentialsId: 'shop-1',
	Name: 'Sandbox',
	Credentials: {},
	CreateDate: CREATED,
	UpdateDate: CREATED,
};

export const GATEWAY_SHAPE = {
	root: 'PaymentGateway',
	items: { Operations: 'OperationType', Credentials: 'Credential' },
} as const;

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
