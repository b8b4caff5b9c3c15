// An M5 line contains no expiry, so it takes the one of an M2 of the same record (rule IUR-2). This file keeps those
// expiries and reads the ones in fixed columns.

import { EXPIRY_ABSENT, type Expiry, readExpiry } from '../../src/base/card/expiry.ts';

/**
 * The expiries of at most this many M2 lines of one record are remembered, more than any booking has. If there are
 * more, the oldest is forgotten.
 */
const CAPACITY = 128;
/**
 * The length of the longest number field of an M2 line: a number has up to 22 digits, and a token in its place has 32
 * characters.
 */
const MAX_LENGTH = 32;

/** Remembers the expiries of one file. `find` decides from which M2 an M5 takes its expiry. */
export class IurExpiries {
	/**
	 * The numbers or tokens of the M2 lines, as spelled. They can be clear card numbers, so they are wiped at the end of
	 * the record.
	 */
	readonly #numbers = Buffer.alloc(CAPACITY * MAX_LENGTH);
	readonly #lengths = new Uint8Array(CAPACITY);
	readonly #codes = new Uint16Array(CAPACITY);
	readonly #passengers = new Uint16Array(CAPACITY);
	readonly #expiries = new Int32Array(CAPACITY);
	#count = 0;

	/** Forgets all expiries, because a new record begins or the file ends. */
	clear(): void {
		if (this.#count === 0) return;
		this.#numbers.fill(0);
		this.#count = 0;
	}

	remember(bytes: Uint8Array, numberStart: number, numberEnd: number, card: IurCard): void {
		const slot = this.#count++ % CAPACITY;
		const length = numberEnd - numberStart;
		this.#lengths[slot] = length <= MAX_LENGTH ? length : 0;
		for (let i = 0; i < this.#lengths[slot]; i++) this.#numbers[slot * MAX_LENGTH + i] = bytes[numberStart + i];
		this.#codes[slot] = card.code;
		this.#passengers[slot] = card.passenger;
		this.#expiries[slot] = card.expiry;
	}

	/** Finds the expiry of the M2 with the same number, or else of the same passenger's M2 with the same card code. */
	find(bytes: Uint8Array, numberStart: number, numberEnd: number, code: number, passenger: number): Expiry {
		const kept = Math.min(this.#count, CAPACITY);
		for (let slot = 0; slot < kept; slot++) {
			if (this.#isNumber(slot, bytes, numberStart, numberEnd)) return this.#expiries[slot];
		}
		for (let slot = 0; slot < kept; slot++) {
			const isPassengers = passenger !== 0 && this.#passengers[slot] === passenger;
			if (isPassengers && this.#codes[slot] === code) return this.#expiries[slot];
		}
		return EXPIRY_ABSENT;
	}

	#isNumber(slot: number, bytes: Uint8Array, numberStart: number, numberEnd: number): boolean {
		const from = slot * MAX_LENGTH;
		return this.#numbers.compare(bytes, numberStart, numberEnd, from, from + this.#lengths[slot]) === 0;
	}
}

const COLUMN_WIDTH = 4;

/** Reads MMYY from columns of a line that may be cut short. Hosts fill the columns with zeros if there is no expiry. */
export function readColumnExpiry(bytes: Uint8Array, at: number, lineEnd: number): Expiry {
	if (at >= lineEnd) return EXPIRY_ABSENT;
	const end = Math.min(lineEnd, at + COLUMN_WIDTH);
	return readExpiry(bytes, at, end, 'MMYY');
}

/**
 * Holds the facts that an M2 gives about a card besides its number. The two bytes of the code are joined into one
 * number, and so are the two of the passenger.
 */
export interface IurCard {
	readonly code: number;
	/** The passenger of the card; 0 if the line names no single passenger. */
	readonly passenger: number;
	readonly expiry: Expiry;
}

/** Joins two bytes into one number, so that codes and passenger items can be compared. */
export function joinPair(bytes: Uint8Array, at: number): number {
	return bytes[at] * 256 + bytes[at + 1];
}
