// What a line of an AIR is, by its tag (formats §3.2, §3.4).

import { startsWith } from './scan/lines.ts';

export type AirLineKind =
	/** First line of the next AIR. */
	| 'begin'
	/** Last line of an AIR. */
	| 'end'
	/** Form of payment: rule AIR-1. */
	| 'payment'
	/** Remark or service request, typed by people: rules AIR-2 and AIR-3. */
	| 'text'
	/** Ticket and phone numbers, fares, segments: never looked at. */
	| 'excluded'
	/** Anything else: rule AIR-2. */
	| 'other';

const TAGS: Record<Exclude<AirLineKind, 'other'>, readonly string[]> = {
	begin: ['AIR-BLK'],
	end: ['ENDX'],
	payment: ['FP', 'MFP'],
	text: ['RM', 'RC', 'RI', 'SSR', 'OTHS', 'OSI'],
	excluded: [
		...['T-', 'FO', 'FA', 'FB', 'R-', 'TMCD', 'EMD', 'FV', 'FM', 'FE', 'K'],
		...['Q-', 'I-', 'H-', 'A-', 'B-', 'C-', 'D-', 'G-'],
	],
};

interface Tag {
	readonly prefix: Uint8Array;
	readonly kind: AirLineKind;
}

/** The tags of one file: those the options exclude, then the layout's own, of which the longest decides. */
export class AirTags {
	readonly #byFirst: Tag[][] = Array.from({ length: 256 }, () => []);

	constructor(excluded: readonly string[]) {
		for (const [kind, tags] of Object.entries(TAGS)) {
			for (const tag of tags) this.#add(tag, kind as AirLineKind);
		}
		for (const tags of this.#byFirst) tags.sort((a, b) => b.prefix.length - a.prefix.length);
		for (const tag of excluded) this.#add(tag, 'excluded');
	}

	#add(tag: string, kind: AirLineKind): void {
		const prefix = Buffer.from(tag, 'latin1');
		this.#byFirst[prefix[0]].unshift({ prefix, kind });
	}

	kindOf(bytes: Uint8Array, start: number, end: number): AirLineKind {
		if (start === end) return 'other';
		for (const tag of this.#byFirst[bytes[start]]) {
			if (startsWith(bytes, start, end, tag.prefix)) return tag.kind;
		}
		return 'other';
	}
}

/** Tags that `excludedTags` may not name: an AIR without its frame, or with its payments left in clear. */
export function isNeededTag(tag: string): boolean {
	return [...TAGS.begin, ...TAGS.end, ...TAGS.payment].some((own) => tag.startsWith(own) || own.startsWith(tag));
}
