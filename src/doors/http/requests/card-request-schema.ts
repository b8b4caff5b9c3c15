// Defines the schemas of card requests (shapes §6).

import { type Static, Type } from '@sinclair/typebox';
import { CARD_REQUEST_STATUSES, type CardRequest } from '../../../work/cardholders/requests/card-request.ts';
import { answerOf, type DocumentBody } from '../calls/content.ts';
import { flag, optionalText, reference, text } from '../calls/fields.ts';
import { CREATED, CVV_ENDS, ID, TOKEN_URI } from '../calls/samples.ts';
import { named, noted } from '../input/schema-notes.ts';

const MAX_NAME_CHARACTERS = 100;
const MAX_CSS_CHARACTERS = 16_384;
const MAX_URL_CHARACTERS = 2_000;
/** The longest time for which a link works: 30 days. */
export const MAX_EXPIRATION_MINUTES = 43_200;

/** The pattern of names: no control characters, and nothing that a reader of the mail could take for a link. */
const NAME = '^(?!.*(?:://|www\\.))[^\\u0000-\\u001f\\u007f<>]*$';

export const LANGUAGE = optionalText(
	'Of page and mail, such as `de` or `pt-BR`; English for one that there is no translation for.',
	{ pattern: '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{1,8}){0,3}$' },
	{ expected: 'the code of a language such as de or pt-BR' },
);
export const RECIPIENT_NAME = optionalText(
	'How the mail addresses its reader.',
	{ maxLength: MAX_NAME_CHARACTERS, pattern: NAME },
	{ expected: 'a name without control characters, < > and addresses', isClear: true },
);
export const PHONE = optionalText(
	'Not called and not written to.',
	{ pattern: '^\\+?[0-9 ().-]{5,24}$' },
	{ expected: 'a phone number', isClear: true },
);

const MEMBERS = {
	SenderID: text('User ID of the caller.'),
	Language: LANGUAGE,
	Css: optionalText('Style sheet for the page; what could load or read something is left out.', {
		maxLength: MAX_CSS_CHARACTERS,
	}),
	RecipientName: RECIPIENT_NAME,
	RecipientEmail: optionalText('Where the link is mailed; without it, or without a mail server, nothing is.'),
	RecipientPhone: PHONE,
	CreatorReference: reference('Yours; the card is found by it. The requestID unless given.'),
	RequireCvv: flag('Whether the CVV must be entered; otherwise it may be left out.'),
	CardTypes: optionalText('Card types that are taken, comma separated; all of them unless given.'),
	ExpirationMinutes: Type.Optional(
		noted(
			Type.Unsafe<number | string | null>({
				type: ['integer', 'null'],
				minimum: 1,
				maximum: MAX_EXPIRATION_MINUTES,
				description: 'For which the link works; 3 days unless the operator has set another time.',
			}),
			{},
		),
	),
	SuccessUrl: optionalText('Where the page goes after the card was stored: https, of a registered origin.', {
		maxLength: MAX_URL_CHARACTERS,
	}),
	FailureUrl: optionalText('Where the page goes if the card cannot be stored: https, of a registered origin.', {
		maxLength: MAX_URL_CHARACTERS,
	}),
};

const CARD_REQUEST = named('CardRequestOrder', Type.Object(MEMBERS));
const CVV_REQUEST = named(
	'CvvRequestOrder',
	Type.Object({ ...MEMBERS, cardUri: text('Token URI of the card, or a bare token. Only its owner may ask.') }),
);
export type CardRequestOrder = Static<typeof CARD_REQUEST>;
export type CvvRequestOrder = Static<typeof CVV_REQUEST>;

const EXAMPLE = {
	SenderID: 'agency',
	Language: 'de',
	RecipientName: 'Marie Dupont',
	RecipientEmail: 'marie@example.com',
	CreatorReference: 'booking-7',
};

export const CARD_REQUEST_BODY = {
	root: 'CardRequest',
	schema: CARD_REQUEST,
	example: { ...EXAMPLE, RequireCvv: true, CardTypes: 'Visa,MasterCard', ExpirationMinutes: 1440 },
} as const satisfies DocumentBody;

export const CVV_REQUEST_BODY = {
	root: 'CardRequest',
	schema: CVV_REQUEST,
	example: { ...EXAMPLE, cardUri: TOKEN_URI },
} as const satisfies DocumentBody;

export const MADE = answerOf('CardRequest', 'MadeCardRequest', {
	requestID: [Type.String(), ID],
	url: [
		Type.String({ description: 'The link for the cardholder.' }),
		'https://vault.example/cardrequest/cr_4JQ1vJb6mJz0c4bHkzQ2h1n8yq0iQwY7Zk3rQm9s5Xc',
	],
});
export const SHOWN = answerOf('CardRequest', 'CardRequest', {
	RequestID: [Type.String(), ID],
	SenderID: [Type.String(), 'agency'],
	Status: [Type.String({ enum: [...CARD_REQUEST_STATUSES] }), 'MessageQueued'],
	CreateDate: [Type.String({ format: 'date-time' }), CREATED],
	ExpirationDate: [Type.String({ format: 'date-time' }), CVV_ENDS],
	CreatorReference: [Type.String(), 'booking-7'],
});

/** Returns a card request as the interface shows it, without any data about the cardholder. */
export function cardRequestDocument({ id, senderId, status, createdAt, expiresAt, reference: mine }: CardRequest) {
	return {
		RequestID: id,
		SenderID: senderId,
		Status: status,
		CreateDate: createdAt.toISOString(),
		ExpirationDate: expiresAt.toISOString(),
		CreatorReference: mine,
	};
}
