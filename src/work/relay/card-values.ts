import { endOfDigits } from '../../base/card/ascii.ts';
import { PART } from '../../base/card/card-parts.ts';
import { EXPIRY_ABSENT, type Expiry } from '../../base/card/expiry.ts';
import { NumberPlaces, PLACE } from '../../base/card/finder/number-places.ts';
import { findInValue, Unescaped } from '../../base/card/finder/unescaped.ts';
import { indexOfToken, ValueNumbers } from '../../base/card/finder/value-numbers.ts';
import { findTypeBeside } from '../../base/card/names/type-beside.ts';
import { TOKEN_LENGTH } from '../../base/card/number.ts';
import type { CardReading, Outcome } from '../../base/card/read-card.ts';
import { codeBehind, isAmexRange } from '../../base/card/spelling/code-behind.ts';
import { readLikelyExpiryBehind } from '../../base/card/spelling/expiry-behind.ts';
import type { CardValues } from './selectors/parts.ts';

/** Matches a text that is nothing but a number, as most are. More digits may hold a token, and zeros may fill a column: those are searched. */
const BARE_NUMBER = /^[1-9]\d{0,18}$/;
/** A text with more characters than this is not searched for a number with something beside it. */
const LONGEST_SEARCHED = 1024;
const numbers = new ValueNumbers();
const places = new NumberPlaces();

/** A card number in the text at the place of one, with what stands beside it there. */
export interface FoundNumber {
	/** The range of the number in the text, in characters. */
	readonly start: number;
	readonly end: number;
	/** True if the range is certainly one number, however it is grouped. */
	readonly isSpelled: boolean;
	readonly expiry: Expiry;
	readonly type: string | undefined;
	/** The range of the security code right behind the number and its expiry, in characters. */
	readonly code: readonly [start: number, end: number] | undefined;
}

/** Finds the card numbers in the text at the place of one. If there is none, the text as a whole, or a token in it, is returned. */
export function findNumbers(text = ''): FoundNumber[] {
	if (BARE_NUMBER.test(text)) {
		return [{ start: 0, end: text.length, isSpelled: false, expiry: EXPIRY_ABSENT, type: undefined, code: undefined }];
	}
	const bytes = Buffer.from(text);
	const { length } = bytes;
	places.clear();
	const isPlain = text.length > LONGEST_SEARCHED || findInValue(numbers, bytes, 0, length, places);
	const { count, starts, ends, kinds } = places;
	const isKept = kinds.subarray(0, count).includes(PLACE.TOLD);
	const token = count === 0 ? indexOfToken(bytes, 0, length) : -1;
	const isSpelled = count > 0 && !isKept && !(isPlain && numbers.isWhole);
	if (token !== -1) places.add(token, token + TOKEN_LENGTH);
	else if (count === 0 || isKept) {
		places.clear();
		places.add(0, length);
	}
	const found = Array.from({ length: places.count }, (_, nth) => {
		const [start, end] = [starts[nth], ends[nth]];
		const type = findTypeBeside(bytes, 0, start, end, length);
		const code = codeBehind(bytes, end, length, isAmexRange(bytes, start));
		const codeEnd = endOfDigits(bytes, code, length);
		return {
			start: charactersIn(bytes, start),
			end: charactersIn(bytes, end),
			isSpelled,
			expiry: readLikelyExpiryBehind(bytes, end, length),
			type: type && bytes.toString('latin1', ...type),
			code: code === -1 ? undefined : ([charactersIn(bytes, code), charactersIn(bytes, codeEnd)] as const),
		};
	});
	numbers.wipe();
	bytes.fill(0);
	return found;
}

const charactersIn = (bytes: Buffer, end: number) => bytes.toString('utf8', 0, end).length;

/**
 * Reads and judges a card whose texts were found in a body. Calls and trials of a profile read cards in this way. What
 * stands beside the number counts where the card has no such text of its own.
 */
export function readValues(reading: CardReading, values: CardValues, number: FoundNumber): Outcome {
	const { parts } = reading;
	parts.begin();
	const text = Buffer.from(values.number?.slice(number.start, number.end) ?? '');
	parts.put(PART.number, number.isSpelled ? new Unescaped(text, 0, text.length, undefined).bytes : text);
	parts.put(PART.month, values.expiryMonth);
	parts.put(PART.year, values.expiryYear);
	parts.put(PART.cvv, values.securityCode || (number.code && values.number!.slice(...number.code)));
	parts.put(PART.type, values.type || number.type);
	parts.put(PART.name, values.nameOnCard?.trim());
	const outcome = reading.read(undefined, number.isSpelled);
	const isDated = reading.expiry !== EXPIRY_ABSENT || number.expiry === EXPIRY_ABSENT;
	return isDated ? outcome : reading.read(number.expiry, number.isSpelled);
}
