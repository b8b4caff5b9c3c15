import { z } from 'zod';
import { EXPIRY_FORMATS } from '../src/card/expiry.ts';
import type { Format } from '../src/transfer/format.ts';
import { JsonScanner } from './scan/json.ts';
import { type CardKeys, JsonKeys } from './scan/json-keys.ts';
import { decodeJsonText } from './scan/json-text.ts';

/** The built-in keys (formats §7). Case of letters does not count. */
const DEFAULT_KEYS: CardKeys = {
	cardNumber: ['cardNumber', 'card_number', 'pan'],
	numberInCard: ['number'],
	card: ['card', 'creditCard', 'credit_card'],
	expirationDate: ['expirationDate', 'expiration_date', 'expiryDate', 'expiry_date'],
	expirationMonth: ['expirationMonth', 'expiration_month', 'expiryMonth', 'expiry_month'],
	expirationYear: ['expirationYear', 'expiration_year', 'expiryYear', 'expiry_year'],
	cvv: ['cvv', 'cvc', 'securityCode', 'security_code'],
	cardType: ['cardType', 'card_type'],
	nameOnCard: ['nameOnCard', 'name_on_card', 'cardHolderName', 'card_holder_name'],
	reference: ['reference'],
};

const list = z.array(z.string().min(1).max(64)).max(50);
const names = list.optional();

const options = z.strictObject({
	/** Each list takes the place of the built-in one; the other lists stay. */
	keys: z
		.strictObject({
			cardNumber: list.min(1).optional(),
			numberInCard: names,
			card: names,
			expirationDate: names,
			expirationMonth: names,
			expirationYear: names,
			cvv: names,
			cardType: names,
			nameOnCard: names,
			reference: names,
		})
		.optional(),
	/** How an `expirationDate` is written; told by its shape when absent. */
	expiryFormat: z.enum(EXPIRY_FORMATS).optional(),
});

export type SimpleJsonOptions = z.infer<typeof options>;

/** JSON with card objects: a value, an array, NDJSON or concatenated values (formats §7). */
export const simplejson: Format<SimpleJsonOptions> = {
	filter: 'SIMPLEJSON',
	tokenCase: 'lower',
	options,
	scanner: ({ keys, expiryFormat }) =>
		new JsonScanner(new JsonKeys({ ...DEFAULT_KEYS, ...keys }), { expiryFormat, decode: decodeJsonText }),
	escapes: 'json',
	decode: decodeJsonText,
};
