// Reads and judges one card of a batch: directly on the bytes if its JSON is plain, otherwise with the reader for
// single cards. A property test checks that the two readers come to the same verdict.

import { EXPIRY_ABSENT, type Expiry, monthOf, readMonthAndYear } from '../../card/expiry.ts';
import { NumberReading } from '../../card/number.ts';
import { judge, REFUSALS, type Verdict, WARNINGS, warningsOf } from '../../card/verdict.ts';
import { ServiceError } from '../../errors.ts';
import { TypeMemo } from '../../transfer/type-memo.ts';
import { fieldsOf } from '../../vault/new-card.ts';
import type { RecordFields } from '../../vault/record-codec.ts';
import { decodeBody } from '../input/body-text.ts';
import { parseJsonBody } from '../input/request-body.ts';
import { readCard } from '../tokens/card-body.ts';
import { CardLine, MEMBER } from './card-line.ts';

const MAX_PLAIN_CHARACTERS = 255;
/**
 * A text with at least this many digits may hold a card number. A character beyond ASCII counts as one digit, because
 * it may be a digit of another script.
 */
const NUMBER_DIGITS = 12;
const FIRST_LEAD_BYTE = 0xc0;

/** Reads one card and holds what was read of it. The object is reused for the next card. */
export class BatchCard {
	readonly line = new CardLine();
	/** The record to be stored; null if the card is not accepted. */
	fields: RecordFields | null = null;
	cvv: Uint8Array | null = null;
	warning: string | null = null;
	/** The reason why the card is not accepted; null if it is. */
	error: string | null = null;
	readonly #now: Date;
	readonly #month: Expiry;
	readonly #number = new NumberReading();
	readonly #types = new TypeMemo();
	readonly #verdict: Verdict = { refusal: null, warnings: 0, brand: 0 };
	readonly #facts = {
		expiry: 0,
		cvv: 'absent' as 'absent' | 'readable',
		type: undefined as number | undefined,
		/** Always false: if the type of a card is unknown, the reader for single cards reads the card instead. */
		isTypeUnknown: false,
		now: 0,
	};
	readonly #plain: RecordFields;
	readonly #warnings: (string | null | undefined)[] = [];

	constructor(now: Date) {
		this.#now = now;
		this.#month = monthOf(now);
		this.#plain = {
			...{ kind: 'card', shape: 'plain', expiry: EXPIRY_ABSENT, type: 0, digits: this.#number.digits, digitCount: 0 },
			...{ spelling: null, name: null, issueNumber: null, owner: null, virtual: null },
		};
	}

	/**
	 * Reads the card whose JSON members were located by the last `line.read`. Returns false if the reader for single cards
	 * must read it instead.
	 */
	readPlain(bytes: Buffer): boolean {
		const number = this.#number;
		const facts = this.#facts;
		const verdict = this.#verdict;
		if (!this.#isPlain(bytes)) return false;
		facts.now = this.#month;
		judge(number, facts, verdict);
		this.#clear();
		if (verdict.refusal !== null) {
			this.error = REFUSALS[verdict.refusal];
			return true;
		}
		const plain = this.#plain;
		plain.expiry = facts.expiry;
		plain.type = facts.type ?? verdict.brand;
		plain.digitCount = number.count;
		plain.name = this.#text(bytes, MEMBER.name);
		plain.issueNumber = this.#text(bytes, MEMBER.issueNumber);
		plain.owner = this.#text(bytes, MEMBER.owner);
		this.fields = plain;
		this.cvv = this.#text(bytes, MEMBER.cvv);
		this.warning = this.#warningOf(verdict.warnings);
		return true;
	}

	/**
	 * Reads a card from its JSON.
	 * @throws ServiceError `message-malformed` if the text is not JSON
	 */
	readText(json: Buffer): void {
		this.#clear();
		try {
			const body = parseJsonBody(decodeBody(json));
			const card = readCard(body, this.#now);
			if ('refusal' in card) {
				this.error = REFUSALS[card.refusal];
				return;
			}
			this.fields = fieldsOf(card.card);
			this.cvv = card.cvv === undefined ? null : Buffer.from(card.cvv.reveal());
			this.warning = card.warnings.length === 0 ? null : card.warnings.map((each) => WARNINGS[each]).join(', ');
		} catch (error) {
			if (!(error instanceof ServiceError) || error.reason === 'message-malformed') throw error;
			this.error = error.moreInfo ?? error.message;
		}
	}

	/** Records that the item is not JSON at all. */
	refuse(error: string): void {
		this.#clear();
		this.error = error;
	}

	wipe(): void {
		this.#clear();
		this.#number.clear();
	}

	#clear(): void {
		this.fields = null;
		this.cvv = null;
		this.warning = null;
		this.error = null;
	}

	/**
	 * Reads the number, the expiry and the other members. Returns whether all required members are present and all
	 * members are well-formed.
	 */
	#isPlain(bytes: Buffer): boolean {
		const number = this.#number;
		const facts = this.#facts;
		const { line } = this;
		const { spans } = line;
		const numberStart = spans[MEMBER.number * 2];
		const numberEnd = spans[MEMBER.number * 2 + 1];
		if (numberEnd === numberStart || numberEnd - numberStart > 22) return false;
		number.read(bytes, numberStart, numberEnd);
		if (number.kind !== 'digits' || number.isGrouped || number.hasOtherCharacters) return false;
		const [month, monthEnd] = [spans[MEMBER.month * 2], spans[MEMBER.month * 2 + 1]];
		const [year, yearEnd] = [spans[MEMBER.year * 2], spans[MEMBER.year * 2 + 1]];
		if (monthEnd - month !== 2 || yearEnd - year !== 4) return false;
		if (countDigits(bytes, month, monthEnd) !== 2 || countDigits(bytes, year, yearEnd) !== 4) return false;
		facts.expiry = readMonthAndYear(bytes, month, monthEnd, year, yearEnd);
		if (facts.expiry <= 0) return false;
		const [cvv, cvvEnd] = [spans[MEMBER.cvv * 2], spans[MEMBER.cvv * 2 + 1]];
		facts.cvv = cvv === cvvEnd ? 'absent' : 'readable';
		if (cvv !== cvvEnd && !isCvv(bytes, cvv, cvvEnd)) return false;
		const [type, typeEnd] = [spans[MEMBER.type * 2], spans[MEMBER.type * 2 + 1]];
		facts.type = this.#types.find(bytes, type, typeEnd);
		if (facts.type === undefined && type !== typeEnd) return false;
		return (
			this.#isInnocent(bytes, MEMBER.name) &&
			this.#isInnocent(bytes, MEMBER.issueNumber) &&
			this.#isInnocent(bytes, MEMBER.owner)
		);
	}

	#isInnocent(bytes: Buffer, member: number): boolean {
		const start = this.line.spans[member * 2];
		const end = this.line.spans[member * 2 + 1];
		return (
			end === start || (end - start <= MAX_PLAIN_CHARACTERS && countPossibleDigits(bytes, start, end) < NUMBER_DIGITS)
		);
	}

	#text(bytes: Buffer, member: number): Buffer | null {
		const start = this.line.spans[member * 2];
		const end = this.line.spans[member * 2 + 1];
		return start === end ? null : bytes.subarray(start, end);
	}

	#warningOf(bits: number): string | null {
		const known = this.#warnings[bits];
		if (known !== undefined) return known;
		const texts = warningsOf(bits).map((warning) => WARNINGS[warning]);
		return (this.#warnings[bits] = texts.length === 0 ? null : texts.join(', '));
	}
}

function isCvv(bytes: Buffer, start: number, end: number): boolean {
	const length = end - start;
	return (length === 3 || length === 4) && countDigits(bytes, start, end) === length;
}

function countDigits(bytes: Buffer, start: number, end: number): number {
	let count = 0;
	for (let i = start; i < end; i++) if (bytes[i] >= 0x30 && bytes[i] <= 0x39) count++;
	return count;
}

function countPossibleDigits(bytes: Buffer, start: number, end: number): number {
	let count = countDigits(bytes, start, end);
	for (let i = start; i < end; i++) if (bytes[i] >= FIRST_LEAD_BYTE) count++;
	return count;
}
