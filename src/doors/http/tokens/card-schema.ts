// Defines the schema of card data as callers send it (shapes §2). The order of the elements in XML is defined in
// card-order.ts.

import { type Static, Type } from '@sinclair/typebox';
import { CARD_TYPES } from '../../../base/card/brand.ts';
import { MAX_CARD_DIGITS, MAX_TEXT_CHARACTERS } from '../../../base/card/verdict.ts';
import type { DocumentBody } from '../calls/content.ts';
import { optionalText, text } from '../calls/fields.ts';
import { named, noted } from '../input/schema-notes.ts';

const MEMBERS_OF_VIRTUAL = Type.Object({
	'@isMultiuse': Type.Optional(Type.Unsafe<boolean | string | null>({ type: ['boolean', 'string', 'null'] })),
	'@currency': optionalText(
		'Three letters of ISO 4217.',
		{ pattern: '^[A-Z]{3}$' },
		{ expected: 'three capital letters (ISO 4217)' },
	),
	'@maxAmount': Type.Optional(
		noted(
			Type.Unsafe<number | string | null>({
				type: ['number', 'string', 'null'],
				pattern: '^[0-9]{1,11}(\\.[0-9]{1,4})?$',
			}),
			{ expected: 'an amount', isClear: true },
		),
	),
});
const VIRTUAL = Type.Unsafe<Static<typeof MEMBERS_OF_VIRTUAL> | null>({
	...MEMBERS_OF_VIRTUAL,
	type: ['object', 'null'],
});

/** Returns the schema of a short text. Metadata shows such texts in clear, so they must not contain a card number. */
const shortText = (description: string) =>
	optionalText(description, { maxLength: MAX_TEXT_CHARACTERS }, { isClear: true });

export const BANK_CARD = named(
	'BankCard',
	Type.Object({
		Type: noted(
			optionalText('Checked against the number; a mismatch is a warning. Codes such as `VI` are taken too.'),
			{
				shownAs: { type: ['string', 'null'], enum: [...CARD_TYPES, null] },
			},
		),
		Virtual: Type.Optional(VIRTUAL),
		Number: noted(text('12 digits to 22 characters; blanks and hyphens are tolerated.'), {
			shownAs: { type: 'string', minLength: 12, maxLength: MAX_CARD_DIGITS },
		}),
		NameOnCard: shortText('As on the card.'),
		ExpirationDate: Type.Object({
			Month: text('01 to 12', { pattern: '^(0[1-9]|1[0-2])$' }, { expected: 'two digits, 01 to 12' }),
			Year: text('Four digits.', { pattern: '^[0-9]{4}$' }, { expected: 'four digits' }),
		}),
		IssueNumber: shortText('Some debit cards have one.'),
		OwnerID: shortText('Yours.'),
		CVV: optionalText('3 or 4 digits.', { pattern: '^([0-9]{3,4})?$' }),
	}),
);
const CARD_DATA = named('CardData', Type.Object({ '@schemaVersion': Type.Optional(text('1.0')), BankCard: BANK_CARD }));

export type BankCard = Static<typeof BANK_CARD>;

export const BANK_CARD_EXAMPLE = {
	Type: 'Visa',
	Number: '4111111111111111',
	ExpirationDate: { Month: '04', Year: '2030' },
	CVV: '306',
};
const EXAMPLE = { BankCard: BANK_CARD_EXAMPLE };

export const CARD_BODY = {
	root: 'BankCardDetails',
	schema: CARD_DATA,
	example: EXAMPLE,
	xmlExample: { '@schemaVersion': '1.0', ...EXAMPLE },
} as const satisfies DocumentBody;
