// Lets CVVs be written into a body that was already filled with cards, without reading it again. A CVV is used up by
// sending it, so it is asked for only when everything else about a message is known to be right.

import { Edits } from '../../../engine/splice.ts';
import type { CardValues } from './parts.ts';
import { refusal } from './problems.ts';
import type { Slot } from './slot.ts';

/** Holds the places for CVVs of a filled body. It can be sent between threads. */
export interface CodePlaces {
	/** Four numbers for each place, in document order: the ordinal of the card, the byte range, and the frame. */
	readonly places: Int32Array;
	readonly frames: readonly Frame[];
}

/**
 * Holds the bytes that are written before and after a CVV, as Latin-1. They differ for a CVV that begins with a zero,
 * because a JSON number must not begin with one, so the CVV is then written as a string.
 */
export interface Frame {
	readonly around: Around;
	readonly aroundZero: Around;
}

type Around = readonly [before: string, after: string];

const STRIDE = 4;
/** A body with more places for CVVs than this is refused; it is also the largest number of cards in a body. */
const MAX_PLACES = 10_000;

/** What is written to one place, to find out what stands around a CVV there. Finding is synchronous, so one is enough. */
let scratch = new Edits();
const MAX_KEPT_BYTES = 65_536;

export class CodePlaceFinder {
	readonly #body: Buffer;
	readonly #found: { card: number; start: number; length: number; frame: number }[] = [];
	/** The different frames, and the ordinal of each under its text. A body often has the same frame at every place. */
	readonly #frames: Frame[] = [];
	readonly #ordinals = new Map<string, number>();

	constructor(body: Buffer) {
		this.#body = body;
	}

	/**
	 * Adds a place for a CVV. `values` is what the slot was filled with, of the card with the ordinal `card`, from 0.
	 * @throws ServiceError('bad-input-data') if there are too many places
	 */
	add(slot: Slot, values: CardValues, card: number): void {
		if (this.#found.length === MAX_PLACES) throw refusal(`the body has more than ${MAX_PLACES} places for a CVV`);
		const edits = scratch;
		const codes = ['5', '6', '05', '06'].map((securityCode) => ({ ...values, securityCode }));
		try {
			// What is written without a CVV may replace more, or nothing at all. A place is the whole range that is written
			// in either case.
			edits.clear();
			slot.write(edits, values);
			slot.write(edits, codes[0]);
			const start = Math.min(...edits.starts.subarray(0, edits.count));
			const end = Math.max(...edits.ends.subarray(0, edits.count));
			const written = (given: CardValues): Buffer => {
				edits.wipeUsed();
				edits.clear();
				slot.write(edits, given);
				return edits.apply(this.#body, start, end);
			};
			const [five, six, zeroFive, zeroSix] = codes.map(written);
			// If another part of the card takes the whole place, no CVV is written there.
			if (five.equals(six)) return;
			const frame = this.#frameOf({ around: between(five, six, 0), aroundZero: between(zeroFive, zeroSix, 1) });
			this.#found.push({ card, start, length: written(values).length, frame });
		} finally {
			edits.wipeUsed();
			if (edits.target.length > MAX_KEPT_BYTES) scratch = new Edits();
		}
	}

	/** Returns the places in the body to which `edits` were made. */
	finish(edits: Edits): CodePlaces {
		const found = this.#found.sort((a, b) => a.start - b.start);
		const places = new Int32Array(found.length * STRIDE);
		const starts = edits.movedTo(found.map(({ start }) => start));
		for (const [nth, { card, length, frame }] of found.entries()) {
			places.set([card, starts[nth], starts[nth] + length, frame], nth * STRIDE);
		}
		return { places, frames: this.#frames };
	}

	#frameOf(frame: Frame): number {
		const key = JSON.stringify(frame);
		let ordinal = this.#ordinals.get(key);
		if (ordinal === undefined) {
			ordinal = this.#frames.push(frame) - 1;
			this.#ordinals.set(key, ordinal);
		}
		return ordinal;
	}
}

/**
 * Returns what stands before and after a CVV, given what is written for two CVVs that differ in their last digit. The
 * CVV is where the two differ. `zeros` is the number of zeros before that digit.
 * @throws ServiceError('bad-input-data') if the CVV is written more than once
 */
function between(one: Buffer, other: Buffer, zeros: number): Around {
	const at = one.findIndex((byte, index) => byte !== other[index]);
	if (!one.subarray(at + 1).equals(other.subarray(at + 1))) throw refusal('a place for a CVV is selected twice');
	return [one.toString('latin1', 0, at - zeros), one.toString('latin1', at + 1)];
}

/**
 * Returns a copy of a body that was filled with cards, with CVVs at the places that were found while it was filled.
 * `codes[i]` is the CVV of the i-th card, or undefined if it is not sent.
 */
export function writeCodes(
	bytes: Buffer,
	{ places, frames }: CodePlaces,
	codes: readonly (string | undefined)[],
): Buffer {
	const edits = new Edits();
	for (let at = 0; at < places.length; at += STRIDE) {
		const [card, start, end, frame] = places.subarray(at, at + STRIDE);
		const code = codes[card];
		if (!code) continue;
		const [before, after] = code.startsWith('0') ? frames[frame].aroundZero : frames[frame].around;
		edits.replace(start, end, Buffer.from(before + code + after, 'latin1'));
	}
	const written = edits.apply(bytes, 0, bytes.length);
	edits.wipeUsed();
	return written;
}
