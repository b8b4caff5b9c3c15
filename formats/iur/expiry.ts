// Expiries in fixed columns, and those of a record's M2 sub-records for the M5 lines behind them: an M5 has no expiry of
// its own (rule IUR-2).

import { EXPIRY_ABSENT, type Expiry, readExpiry } from '../../src/card/expiry.ts';

/** More M2 in one record than any booking has: then the oldest is forgotten. */
const CAPACITY = 128;
/** A number of 22 digits, or a token in its place. */
const MAX_LENGTH = 32;

/** One for each file; see `find` for which M2 an M5 goes by. */
export class IurExpiries {
	/** The M2's number or token, as spelled. Holds clear numbers: wiped with the record. */
	readonly #numbers = Buffer.alloc(CAPACITY * MAX_LENGTH);
	readonly #lengths = new Uint8Array(CAPACITY);
	readonly #codes = new Uint16Array(CAPACITY);
	readonly #passengers = new Uint16Array(CAPACITY);
	readonly #expiries = new Int32Array(CAPACITY);
	#count = 0;

	/** Forgets everything: a new record begins, or the file ends. */
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

	/** The expiry of the M2 with the same number, else of the passenger's M2 with the same card code, else absent. */
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
		const length = numberEnd - numberStart;
		if (this.#lengths[slot] !== length) return false;
		for (let i = 0; i < length; i++) {
			if (this.#numbers[slot * MAX_LENGTH + i] !== bytes[numberStart + i]) return false;
		}
		return true;
	}
}

const COLUMN_WIDTH = 4;
const ZERO = 0x30;

/** MMYY in columns of a line that may be cut short. Hosts also fill them with zeros where there is nothing to say. */
export function readColumnExpiry(bytes: Uint8Array, at: number, lineEnd: number): Expiry {
	if (at >= lineEnd) return EXPIRY_ABSENT;
	const end = Math.min(lineEnd, at + COLUMN_WIDTH);
	const isUnset = end - at === COLUMN_WIDTH && bytes.subarray(at, end).every((byte) => byte === ZERO);
	return isUnset ? EXPIRY_ABSENT : readExpiry(bytes, at, end, 'MMYY');
}

/** What is known of a card of M2 besides its number. Code and passenger are two bytes each, joined. */
export interface IurCard {
	readonly code: number;
	/** 0 when the line names no single passenger. */
	readonly passenger: number;
	readonly expiry: Expiry;
}

/** Two bytes as one number, to compare codes and passenger items. */
export function joinPair(bytes: Uint8Array, at: number): number {
	return bytes[at] * 256 + bytes[at + 1];
}
