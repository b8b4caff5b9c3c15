import { BARE, CARD, FIELD_BITS, PART, SURE, TOKEN, VALUE } from '../card-names.ts';
import { FIELD } from '../held-card.ts';

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
	const marks = outer === FIELD.MONTH || outer === FIELD.YEAR ? SURE | CARD | BARE : SURE | CARD;
	return PART | (isPart ? own : outer) | (wrap & marks) | (code & TOKEN);
}

/**
 * Returns the meaning of a key such as `m` or `yyyy`, which says month or year only in the object of an expiry; `wrap`
 * is the meaning of that object's key.
 */
export function datePart(bytes: Uint8Array, start: number, end: number, wrap: number): number {
	if ((wrap & FIELD_BITS) !== FIELD.EXPIRY || end - start > 4) return 0;
	const letter = bytes[start] | 0x20;
	for (let i = start + 1; i < end; i++) if ((bytes[i] | 0x20) !== letter) return 0;
	return letter === 0x6d ? FIELD.MONTH : letter === 0x79 ? FIELD.YEAR : 0;
}
