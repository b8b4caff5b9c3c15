// Writes sessions of the payments library and their results in the form of answers (shapes §8).

import { Type } from '@sinclair/typebox';
import { WALLET_OPERATIONS } from '../../../work/payments/wallet/operation.ts';
import { WALLET_STATUSES, type WalletResult } from '../../../work/payments/wallet/wallet.ts';
import { nullable } from '../calls/fields.ts';
import { CREATED, MASKED_CARD, TOKEN_URI } from '../calls/samples.ts';
import { OPERATION_ANSWER, OPERATION_EXAMPLE, operationDocument } from '../gateway/answer.ts';
import { named } from '../input/schema-notes.ts';
import { ASKED_CARD_TYPES } from '../tokens/card-body.ts';
import { MASKED_BANK_CARD } from '../tokens/schemas.ts';
import { tokenUri } from '../tokens/token-uri.ts';
import { SESSION_TOKEN } from './order-schema.ts';

const OPERATION = Type.String({ enum: [...WALLET_OPERATIONS] });
const STATUS = Type.String({ enum: [...WALLET_STATUSES] });

const WALLET_TOKEN = named(
	'WalletToken',
	Type.Object({ token: Type.String({ pattern: '^ws_', description: 'The session token.' }) }),
);
const WALLET_SESSION = named(
	'WalletSession',
	Type.Object({
		operation: OPERATION,
		status: STATUS,
		amount: Type.Union([Type.Number(), Type.Null()], { description: 'Major units.' }),
		currencyCode: nullable(),
		environment: Type.String({ enum: ['sandbox', 'production'] }),
		expiresAt: Type.String({ format: 'date-time' }),
		cardTypes: Type.Array(Type.String()),
	}),
);
const WALLET_RESULT = named(
	'WalletResult',
	Type.Object({
		operation: OPERATION,
		status: STATUS,
		myRef: nullable(),
		upgChargeResults: Type.Union([OPERATION_ANSWER, Type.Null()]),
		tokenAndMaskedCardModel: Type.Union([
			Type.Object({
				cardToken: Type.String({ description: 'Token URI.' }),
				maskedCard: MASKED_BANK_CARD,
			}),
			Type.Null(),
		]),
	}),
);

export const TOKEN_ANSWER = { root: 'eWalletToken', schema: WALLET_TOKEN, example: { token: SESSION_TOKEN } };
export const SESSION_ANSWER = {
	root: 'eWalletSession',
	items: { cardTypes: 'cardType' },
	schema: WALLET_SESSION,
	example: {
		operation: 'CHARGE_AND_TOKENIZE',
		status: 'open',
		amount: 10.23,
		currencyCode: 'USD',
		environment: 'sandbox',
		expiresAt: CREATED,
		cardTypes: ['MasterCard', 'Visa'],
	},
};
export const RESULT_ANSWER = {
	root: 'eWalletResult',
	schema: WALLET_RESULT,
	example: {
		operation: 'CHARGE_AND_TOKENIZE',
		status: 'completed',
		myRef: 'order-1',
		upgChargeResults: OPERATION_EXAMPLE,
		tokenAndMaskedCardModel: { cardToken: TOKEN_URI, maskedCard: MASKED_CARD },
	},
};

/** Returns what a payment form needs to know of a session. That contains no secret of the merchant. */
export function walletSessionDocument({ session, status }: WalletResult, environment: string) {
	const { operation, amount, expiresAt, cardTypes } = session;
	return {
		operation,
		status,
		amount: amount ? Number(amount.text) : null,
		currencyCode: amount?.currency ?? null,
		environment,
		expiresAt: expiresAt.toISOString(),
		cardTypes: cardTypes ?? ASKED_CARD_TYPES,
	};
}

/** Returns the result of a session. The page and the merchant get the same result (shapes §8). */
export function walletResultDocument({ session, status, transaction, stored }: WalletResult, baseUrl: string) {
	return {
		operation: session.operation,
		status,
		myRef: session.myRef ?? null,
		upgChargeResults: transaction ? operationDocument(transaction) : null,
		tokenAndMaskedCardModel: stored ? { cardToken: tokenUri(baseUrl, stored.token), maskedCard: stored.masked } : null,
	};
}
