// Defines the schemas of payment gateway operations and credentials as callers send them (spec §2.7, shapes §7, §11).

import { type Static, Type } from '@sinclair/typebox';
import { OPERATIONS } from '../../../work/payments/gateway/operation.ts';
import type { DocumentBody } from '../calls/content.ts';
import { choice, optionalText, reference, text } from '../calls/fields.ts';
import { named } from '../input/schema-notes.ts';
import { BANK_CARD, BANK_CARD_EXAMPLE } from '../tokens/card-schema.ts';

const MAX_PAYER_CHARACTERS = 255;
/**
 * Matches the reference that a gateway gave to a payment. The reference becomes part of a URL at the provider. It is
 * escaped there, but some providers unescape it before they resolve `.` and `..`, so no part between slashes may
 * consist of dots only.
 */
const GATEWAY_REFERENCE = '^(?!(.*[/\\\\])?\\.+([/\\\\]|$))[!-~]{1,255}$';

const CREDENTIALS = named(
	'GatewayCredentials',
	Type.Object({
		Name: text('Of `GET /api/paymentGateway`.'),
		Credentials: Type.Optional(
			Type.Unsafe<Record<string, string>>({
				type: 'object',
				additionalProperties: { type: 'string' },
				description: 'As the gateway needs them.',
			}),
		),
	}),
);
export type GatewayCredentials = Static<typeof CREDENTIALS>;

/** The text is sent to the gateway, and stored in clear in the journal of payments. */
const payerText = optionalText(undefined, { maxLength: MAX_PAYER_CHARACTERS }, { isClear: true });
const ORDER = named(
	'PaymentGatewayRequest',
	Type.Object({
		OperationType: choice(OPERATIONS),
		CardToken: optionalText('Token URI; for PreAuth and Charge this or a card.'),
		Card: Type.Optional(Type.Union([BANK_CARD, Type.Null()])),
		MyRef: reference('Yours; transactions are found by it.'),
		Amount: Type.Optional(
			Type.Unsafe<number | string>({ type: ['number', 'string'], description: 'Major units; a Void may go without.' }),
		),
		Currency: Type.Optional(text('Three letters of ISO 4217.')),
		GatewayReference: optionalText(
			'Of the payment that a Capture, Refund or Void is about.',
			{ pattern: GATEWAY_REFERENCE },
			{ expected: 'a reference of the gateway' },
		),
		PaymentGateway: Type.Optional(CREDENTIALS),
		PayerDetails: Type.Optional(
			Type.Object({
				Email: payerText,
				Phone: payerText,
				IpAddress: payerText,
				Street: payerText,
				City: payerText,
				PostalCode: payerText,
				State: payerText,
				Country: optionalText(
					'Two letters of ISO 3166.',
					{ maxLength: MAX_PAYER_CHARACTERS, pattern: '^[A-Za-z]{2}$' },
					{ isClear: true, expected: 'two letters' },
				),
			}),
		),
	}),
);
export type GatewayOrder = Static<typeof ORDER>;

export const ORDER_BODY = {
	root: 'PaymentGatewayRequest',
	schema: ORDER,
	example: {
		OperationType: 'Charge',
		Card: BANK_CARD_EXAMPLE,
		MyRef: 'order-1',
		Amount: 10.23,
		Currency: 'USD',
		PaymentGateway: { Name: 'Sandbox' },
	},
} as const satisfies DocumentBody;

export const CREDENTIALS_BODY = {
	root: 'PaymentGateway',
	schema: CREDENTIALS,
	example: { Name: 'Sandbox', Credentials: {} },
} as const satisfies DocumentBody;
