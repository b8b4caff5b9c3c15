import { CARD, FIELD_BITS, SURE, TOKEN, VALUE } from '../card-names.ts';
import { FIELD } from '../held-card.ts';

/**
 * This bit means that a key inside the object of a field is a part of that field: in `{"expiry": {"month": 12}}` the
 * month belongs to the card around, and not to a card of its own.
 */
export const PART = 1024;

/**
 * Returns the meaning of a key in an object that is itself the value of a field; `wrap` is the meaning of that field's
 * key. Such a key is a part of the field, as in `{"expiry": {"month": 12}}` and `{"cvv": {"value": "123"}}`, or it
 * keeps its own meaning, `code`.
 */
export function codeInWrap(code: number, wrap: number): number {
	const outer = wrap & FIELD_BITS;
	const own = code & FIELD_BITS;
	const isDate = own === FIELD.EXPIRY || own === FIELD.MONTH || own === FIELD.YEAR;
	const isPart = outer === FIELD.EXPIRY ? isDate : outer === FIELD.CVV && own === outer;
	const isValue = (code & VALUE) !== 0 || (outer === FIELD.NUMBER && (code & TOKEN) !== 0);
	if (!isPart && !isValue) return code;
	return PART | (isPart ? own : outer) | (wrap & (SURE | CARD)) | (code & TOKEN);
}
