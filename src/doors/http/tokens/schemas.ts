// Defines the parameters of the token routes, for checks and for the OpenAPI document.

import { type Static, Type } from '@sinclair/typebox';
import { CARD_TYPES } from '../../../base/card/brand.ts';
import { MAX_TEXT_CHARACTERS } from '../../../base/card/verdict.ts';
import { answerOf } from '../calls/content.ts';
import { nullable } from '../calls/fields.ts';
import { CREATED, CVV_ENDS, TOKEN, TOKEN_URI } from '../calls/samples.ts';
import { named, noted } from '../input/schema-notes.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

export const REF = noted(
	text(`Caller-chosen reference, at most ${MAX_TEXT_CHARACTERS} characters; need not be unique.`),
	{ example: 'order-1', shownAs: { type: 'string', maxLength: MAX_TEXT_CHARACTERS } },
);
export const MERCHANT = text(
	'User ID of a primary account that may use the token too; giving it needs the permission `Associate`.',
);
export const CARD_URI = Type.String({ description: 'Token URI, or a bare token.' });
/** Returns the schema of a query parameter that `findFlag` reads. */
export const FLAG = (description: string) =>
	noted(Type.Optional(Type.String({ description: `${description} true or false.` })), { shownAs: { type: 'boolean' } });

/** The parameter that says how many tokens of a list to skip. */
export const FROM = Type.Optional(
	Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'Zero-based offset.' }),
);

const TOKEN_SHAPE = { type: 'string', pattern: '^[0-9A-Fa-f]{32}$' };
export const TOKEN_PATH = Type.Object({
	// The schema allows any text as the token in the path, because the router has already checked that the token
	// consists of 32 hexadecimal characters.
	cardToken: noted(Type.String({ description: '32 hexadecimal characters.' }), {
		shownAs: TOKEN_SHAPE,
		example: TOKEN,
	}),
});

const CARD_TYPE = Type.Union([Type.String({ enum: [...CARD_TYPES] }), Type.Null()]);

const VIRTUAL_INFO = Type.Object({
	'@isMultiuse': Type.Optional(Type.Boolean()),
	'@currency': Type.Optional(Type.String()),
	'@maxAmount': Type.Optional(Type.String()),
});
/** The details of a virtual card. Their names begin with `@` because these members are attributes in XML. */
export type VirtualInfo = Static<typeof VIRTUAL_INFO>;
const VIRTUAL = Type.Union([VIRTUAL_INFO, Type.Null()]);

/**
 * The only form in which answers contain a card (shapes §2): without the CVV, and of the number only the first six and
 * the last four digits.
 */
export const MASKED_BANK_CARD = answerOf('BankCard', 'MaskedBankCard', {
	Type: [CARD_TYPE, 'Visa'],
	Virtual: [VIRTUAL, null],
	Number: [Type.String({ description: 'First six digits, asterisks, last four.' }), '411111******1111'],
	NameOnCard: [nullable(), null],
	// Null only for a card that came from a file without an expiry.
	ExpirationDate: [
		Type.Union([Type.Object({ Month: Type.String(), Year: Type.String() }), Type.Null()]),
		{ Month: '04', Year: '2030' },
	],
	IssueNumber: [nullable(), null],
	OwnerID: [nullable(), null],
});
export type MaskedCard = Static<typeof MASKED_BANK_CARD.schema>;
export const MASKED_CARD = named(
	'MaskedCard',
	Type.Object(
		{ BankCard: MASKED_BANK_CARD.schema },
		{ description: 'The masked card. `Location` holds the token URI.' },
	),
);

/** The names of the XML elements that contain the metadata of a token and the items of the lists in it. */
export const METADATA_SHAPE = {
	root: 'CardMetadata',
	items: { AssociatedMerchants: 'MerchantId', AssociatedProperties: 'PropertyId' },
} as const;

/** The members of a token's metadata, named and ordered as in the specification. */
const LISTED_MEMBERS = {
	CreateDate: [Type.String({ format: 'date-time' }), CREATED],
	CardType: [CARD_TYPE, 'Visa'],
	LastDigits: [nullable('The last four.', { minLength: 4, maxLength: 4 }), '1111'],
	LeadingDigits: [nullable('The first six.', { minLength: 6, maxLength: 6 }), '411111'],
	ExpirationYear: [nullable('Four digits.', { minLength: 4, maxLength: 4 }), '2030'],
	ExpirationMonth: [nullable('01 to 12.', { minLength: 2, maxLength: 2 }), '04'],
	OwnerID: [nullable("The caller's own id for the cardholder."), null],
	UserID: [nullable('User that stored the card.'), 'agency'],
	IssueNumber: [nullable(), null],
	OwnerName: [nullable('Name on the card.'), null],
	URI: [Type.String(), TOKEN_URI],
	EndRetentionDate: [nullable('When a kept CVV is destroyed.'), CVV_ENDS],
	CvvExists: [Type.Boolean(), true],
	VirtualInfo: [VIRTUAL, null],
	AssociatedMerchants: [Type.Array(Type.String()), ['partner'] as string[]],
	AssociatedProperties: [Type.Array(Type.String()), [] as string[]],
} as const;

/** The items of a list contain no reference (shapes §3). */
export const LISTED_METADATA = answerOf(METADATA_SHAPE, 'ListedCardMetadata', LISTED_MEMBERS);
export type ListedMetadata = Static<typeof LISTED_METADATA.schema>;
export const METADATA = answerOf(METADATA_SHAPE, 'CardMetadata', {
	CreatorReference: [nullable(), 'order-1'],
	...LISTED_MEMBERS,
});
export type Metadata = Static<typeof METADATA.schema>;
