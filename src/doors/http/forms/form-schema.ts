// Defines the parameters of the forms (shapes §5).

import { Type } from '@sinclair/typebox';
import { noted } from '../input/schema-notes.ts';
import { CARD_URI, FLAG } from '../tokens/schemas.ts';

/** A text of the form, whose options are stored in clear. */
const text = (description: string, example?: string) =>
	noted(Type.Optional(Type.String({ description })), { isClear: true, ...(example !== undefined && { example }) });

/** The parameters for the look of the page and for its exchange of messages with the page around it. */
const VIEW = {
	brand: text('A style sheet of the account, by its name; `default` if absent.'),
	language: text('The language of the page, as in `de` or `de-AT`; that of the browser if absent.', 'de'),
	css: text('A style sheet. What could load or read something is left out.', 'button { background: #0a7 }'),
	removeBaseCss: FLAG('Leave our own style sheet out.'),
	autoFocus: FLAG('Put the cursor into the first field.'),
	submitWithPostMessage: FLAG('Show no button, because the page around the form sends the message `submit`.'),
	useCustomValidation: FLAG('Tell no problems in the form, because the page around it does.'),
	postMessageHost: text('The origin of the page around the form; one that the account has registered.'),
	formNonce: text('1 to 64 letters, digits, hyphens and underscores that mark the messages of this form.'),
	success: text('Where the browser goes after success. May hold `{cardToken}` and other placeholders.'),
	failure: text('Where the browser goes if no card can be stored.'),
} as const;

export const CARD_FORM_QUERY = Type.Object({
	...VIEW,
	cvv: text('`true` asks for a CVV, which is the rule, `optional` lets it be left out, `false` does not ask.', 'true'),
	autoDetectCardType: FLAG('Tell the type from the number, which is the rule, instead of asking for it.'),
	defaultCardType: text('The type that is chosen at first.', 'Visa'),
	cardTypes: text('The types that are accepted, separated by commas.', 'Visa,MasterCard'),
	minExpiration: text(
		'A month in which the card must still be valid, as in `2030-04`, `04/30` or `042030`.',
		'2030-04',
	),
	expirationMonths: noted(
		Type.Optional(
			Type.Integer({ minimum: 0, maximum: 240, description: 'Months from now for which the card must be valid.' }),
		),
		{ example: 3 },
	),
	showOwnerId: FLAG('Ask for an id of the card owner.'),
	nameOnCardValidation: FLAG('Require a name, which is the rule, or let it be left out.'),
	creatorReference: text('A reference to store with the card.', 'booking-7'),
	eliminateCardDuplication: FLAG('Give back the token the account already has for the card.'),
});

export const CVV_FORM_QUERY = Type.Object({ cardUri: CARD_URI, ...VIEW });
