// Defines the schemas of the bodies that callers send to the payments library (shapes §8).

import { type Static, Type } from '@sinclair/typebox';
import { WALLET_OPERATIONS } from '../../../work/payments/wallet/operation.ts';
import type { DocumentBody } from '../calls/content.ts';
import { amount, choice, flag, optionalText, reference, text } from '../calls/fields.ts';
import { named } from '../input/schema-notes.ts';

const OPERATION = named(
	'WalletOperation',
	Type.Object({
		operation: choice(WALLET_OPERATIONS),
		amount: amount('Major units; required unless nothing is paid.'),
		currencyCode: optionalText('Three letters of ISO 4217; required unless nothing is paid.'),
		gateway: optionalText('A gateway that needs no credentials.'),
		credentialsId: optionalText('Gateway credentials that are kept here.'),
		myRef: reference('Yours; transactions are found by it.'),
		ref: reference('Yours; the card is found by it.'),
		merchantId: optionalText('User ID of an account that may use the card too.'),
		saveCVV: flag('For TOKENIZE: whether the CVV is kept.'),
		cardTypes: optionalText('Card types that are taken, comma separated; all of them unless given.'),
	}),
);
export type WalletOrder = Static<typeof OPERATION>;

export const WALLET_BODY = {
	root: 'eWalletOperation',
	schema: OPERATION,
	example: {
		operation: 'CHARGE_AND_TOKENIZE',
		amount: 10.23,
		currencyCode: 'USD',
		gateway: 'Sandbox',
		myRef: 'order-1',
		ref: 'customer-1',
		cardTypes: 'Visa,MasterCard',
	},
} as const satisfies DocumentBody;

export const SESSION_TOKEN = 'ws_4JQ1vJb6mJz0c4bHkzQ2h1n8yq0iQwY7Zk3rQm9s5Xc';

export const SESSION_BODY = {
	root: 'eWalletToken',
	schema: Type.Object({ token: text('Of the session.') }),
	example: { token: SESSION_TOKEN },
} as const satisfies DocumentBody;
