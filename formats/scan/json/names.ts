import { z } from 'zod';
import { findFieldMeaning, foldFieldName } from '../../../src/base/card/names/field-names.ts';
import { BARE, CARD, cardNameCode, FIELD_BITS, SURE, UNREAD } from '../card-names.ts';
import { FIELD, type Field } from '../held-card.ts';
import { foldCase, NameMemo } from '../name-memo.ts';
import { keyText, pieceCode } from './number-parts.ts';

const list = z.array(z.string().min(1).max(64)).max(50);
const names = list.optional();

/** Lists, for each field, the keys that replace the usual ones. A field without a list keeps its usual keys. */
export const keysOption = z.strictObject({
	cardNumber: list.min(1).optional(),
	/** These keys hold a card number only if their object is a card or has other fields of one. */
	numberInCard: names,
	card: names,
	expirationDate: names,
	expirationMonth: names,
	expirationYear: names,
	cvv: names,
	cardType: names,
	nameOnCard: names,
	reference: names,
});

type CardKeys = z.infer<typeof keysOption>;
type FieldKey = Exclude<keyof CardKeys, 'card' | 'numberInCard'>;

const KEY_OF = {
	[FIELD.NUMBER]: 'cardNumber',
	[FIELD.EXPIRY]: 'expirationDate',
	[FIELD.MONTH]: 'expirationMonth',
	[FIELD.YEAR]: 'expirationYear',
	[FIELD.CVV]: 'cvv',
	[FIELD.TYPE]: 'cardType',
	[FIELD.NAME]: 'nameOnCard',
	[FIELD.REFERENCE]: 'reference',
} as const satisfies Record<number, FieldKey>;

/**
 * If the options of a folder replace the usual names of these fields, a usual name in the file is reported, because its
 * value stays unread.
 */
const TOLD: readonly Field[] = [FIELD.NUMBER, FIELD.CVV];

const usualNames = new NameMemo((key) => {
	const name = keyText(key);
	return cardNameCode(name) || pieceCode(name);
});

/** Returns the meanings of keys, from the vocabulary or from the lists that an account gives instead. */
export function jsonNames(keys: CardKeys | undefined): NameMemo {
	if (keys === undefined || Object.keys(keys).length === 0) return usualNames;
	const own = ownCodes(keys);
	return new NameMemo((key) => {
		const name = keyText(key);
		const given = own.get(foldCase(name)) ?? own.get(foldFieldName(name));
		const usual = usualCode(name, keys);
		return given === undefined ? usual || pieceCode(name) : given | (keys.card === undefined ? usual & CARD : 0);
	});
}

function ownCodes(keys: CardKeys): Map<string, number> {
	const codes = new Map<string, number>();
	const add = (names: readonly string[] | undefined, code: number) => {
		for (const name of names ?? []) {
			for (const spelling of [foldCase(name), foldFieldName(name)]) {
				if (spelling === '') continue;
				const known = codes.get(spelling) ?? 0;
				// The lists may give the same word to a field and also to a card; then it means both. If they give it to two
				// fields, it means the first of them.
				codes.set(spelling, code === CARD ? known | CARD : (known & FIELD_BITS) !== 0 ? known : known | code);
			}
		}
	};
	for (const [field, key] of Object.entries(KEY_OF)) add(keys[key], Number(field) | SURE);
	add(keys.numberInCard, FIELD.NUMBER);
	add(keys.card, CARD);
	return codes;
}

/** Returns the vocabulary's meaning of a name, unless one of the account's lists replaces it. */
function usualCode(name: string, keys: CardKeys): number {
	const code = cardNameCode(name);
	const card = keys.card === undefined ? code & CARD : 0;
	const field = (code & FIELD_BITS) as keyof typeof KEY_OF | 0;
	if (field === 0) return code & ~CARD ? code : card;
	// The account's list `numberInCard` replaces those usual words for a number that do not say card. Any other usual
	// name is replaced by the account's list for its field.
	const isWord = field === FIELD.NUMBER && (code & SURE) === 0;
	const isReplaced = keys[isWord && (code & CARD) === 0 ? 'numberInCard' : KEY_OF[field]] !== undefined;
	if (!isReplaced) return (code & ~CARD) | card;
	const isTold = TOLD.includes(field) && (code & (SURE | BARE)) === SURE && findFieldMeaning(name) !== undefined;
	return card | (isTold ? UNREAD : 0);
}
