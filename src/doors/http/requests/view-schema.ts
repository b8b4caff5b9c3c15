// Defines the body and the answer of the call that creates a link to a card (shapes §5.6).

import { Type } from '@sinclair/typebox';
import type { DocumentBody } from '../calls/content.ts';
import { nullable, optionalText, text } from '../calls/fields.ts';
import { CVV_ENDS, ID, TOKEN_URI } from '../calls/samples.ts';
import { named } from '../input/schema-notes.ts';
import { LANGUAGE, PHONE, RECIPIENT_NAME } from './card-request-schema.ts';

const MAX_MINUTES = 1440;

const VIEW = named(
	'CardViewOrder',
	Type.Object({
		cardToken: text('Token URI, or a bare token.'),
		email: optionalText('Where the link is mailed; required where there is a mail server.'),
		phoneNumber: PHONE,
		viewerName: RECIPIENT_NAME,
		ttl: Type.Optional(
			Type.Unsafe<number | string | null>({
				type: ['integer', 'null'],
				minimum: 1,
				maximum: MAX_MINUTES,
				description: 'Minutes for which the link works; 60 unless the operator has set another time.',
			}),
		),
		language: LANGUAGE,
	}),
);

export const VIEW_BODY = {
	root: 'CardViewRequest',
	schema: VIEW,
	example: { cardToken: TOKEN_URI, email: 'clerk@example.com', viewerName: 'Night desk', ttl: 30, language: 'en' },
} as const satisfies DocumentBody;

const LINK = 'https://vault.example/cardview/cv_4JQ1vJb6mJz0c4bHkzQ2h1n8yq0iQwY7Zk3rQm9s5Xc';
export const VIEW_ANSWER = {
	root: 'CardView',
	schema: named(
		'CardView',
		Type.Object({
			viewID: Type.String(),
			expirationDate: Type.String({ format: 'date-time' }),
			url: nullable('The link; null if it was mailed.'),
			code: nullable('The code that the link asks for; null if it was mailed.'),
		}),
	),
	example: { viewID: ID, expirationDate: CVV_ENDS, url: LINK, code: '042717' },
};
