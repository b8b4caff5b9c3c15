// Writes sessions of the payments library and their results in the form of answers (shapes §8).

import { Type } from '@sinclair/typebox';
import { WALLET_OPERATIONS } from '../../../work/payments/wallet/operation.ts';
import { WALLET_STATUSES, type WalletResult } from '../../../work/payments/wallet/wallet.ts';
import { answerOf } from '../calls/content.ts';
import { nullable } from '../calls/fields.ts';
import { CREATED, TOKEN_URI } from '../calls/samples.ts';
import { OPERATION, operationDocument } from '../gateway/answer.ts';
import { ASKED_CARD_TYPES } from '../tokens/card-body.ts';
import { MASKED_BANK_CARD } from '../tokens/schemas.ts';
import { tokenUri } from '../tokens/token-uri.ts';
import { SESSION_TOKEN } from './order-schema.ts';

const OPERATION_NAME = Type.String({ enum: [...WALLET_OPERATIONS] });
const STATUS = Type.String({ enum: [...WALLET_STATUSES] });

export const TOKEN_ANSWER = answerOf('eWalletToken', 'WalletToken', {
	token: [Type.String({ pattern: '^ws_', description: 'The session token.' }), SESSION_TOKEN],
});
const SESSION_SHAPE = { root: 'eWalletSession', items: { cardTypes: 'cardType' } };
export const SESSION_ANSWER = answerOf(SESSION_SHAPE, 'WalletSession', {
	operation: [OPERATION_NAME, 'CHARGE_AND_TOKENIZE'],
	status: [STATUS, 'open'],
	amount: [Type.Union([Type.Number(), Type.Null()], { description: 'Major units.' }), 10.23],
	currencyCode: [nullable(), 'USD'],
	environment: [Type.String({ enum: ['sandbox', 'production'] }), 'sandbox'],
	expiresAt: [Type.String({ format: 'date-time' }), CREATED],
	cardTypes: [Type.Array(Type.String()), ['MasterCard', 'Visa']],
});
export const RESULT_ANSWER = answerOf('eWalletResult', 'WalletResult', {
	operation: [OPERATION_NAME, 'CHARGE_AND_TOKENIZE'],
	status: [STATUS, 'completed'],
	myRef: [nullable(), 'order-1'],
	upgChargeResults: [Type.Union([OPERATION.schema, Type.Null()]), OPERATION.example],
	tokenAndMaskedCardModel: [
		Type.Union([
			Type.Object({
				cardToken: Type.String({ description: 'Token URI.' }),
				maskedCard: MASKED_BANK_CARD.schema,
			}),
			Type.Null(),
		]),
		{ cardToken: TOKEN_URI, maskedCard: MASKED_BANK_CARD.example },
	],
});

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
