// Tells from the tag of a line which kind of line of an AIR it is (formats §3.2, §3.4).

import { isCvvLabel } from '../scan/lines/cvv.ts';
import { isBlank, startsWith } from '../scan/lines/lines.ts';

export type AirLineKind =
	/** The line is the first of the next AIR. */
	| 'begin'
	/** The line is the last of an AIR. */
	| 'end'
	/** The line is a form of payment (rule AIR-1). */
	| 'payment'
	/** The line is a remark or service request typed by people (rules AIR-2 and AIR-3). */
	| 'text'
	/**
	 * The line has ticket and phone numbers or fares, so a number is taken for a card only after the code of its
	 * network.
	 */
	| 'quiet'
	/** The line is a stored form of payment (rule AIR-2), with a second copy of the number. */
	| 'stored'
	/** The line is of none of the other kinds (rule AIR-2). */
	| 'other';

const listed = (tags: string): readonly string[] => tags.split(/\s+/);

const TAGS: Record<Exclude<AirLineKind, 'other'>, readonly string[]> = {
	begin: ['AIR-BLK'],
	end: ['ENDX', 'END'],
	payment: ['FP', 'MFP'],
	text: listed('RM RC RI SSR OTHS OSI'),
	quiet: listed('T- FO FA FB R- TMCD EMD FV FM FE K Q- I- H- A- B- C- D- G-'),
	stored: ['Z-FOP'],
};

/**
 * Reports may show the tag of a line only if it is in this list, because any other text may be card data. The list has
 * the tags that decide the kind of a line, longer forms of them such as `RIA`, and tags that no rule treats specially.
 */
const SHOWN_TAGS: readonly string[] = [
	...Object.values(TAGS).flat(),
	...listed(`AMD MUC1A RFD RF RIA RIF RIR RIS RIU RIZ RII KN- KS- K- KFT TAX- TSA- L- M- N- O- U- X- Y- Z- P- P-FP S- E- PPI ICW
		TKOK TKTL TKXL FT FH FHD FHE FS FZ AP AI OPW- OPC- OP MFM MFE MFO MEP SK ES GW`),
];

/** The first letters of the tags of kind `begin` and `end`. */
const A = 0x41;
const E = 0x45;
const SMALL_C = 0x63;
const SMALL_V = 0x76;
const FIRST_HIGH = 0x80;
const SHORTEST_TAG = 2;
const LONGEST_TAG = 4;

interface Tag {
	readonly prefix: Uint8Array;
	readonly kind: AirLineKind;
}

/**
 * Finds the tag of a line, and with it the kind of the line. If several tags of the layout match, the longest decides.
 * The options of a file may exclude lines with certain tags from the search.
 */
export class AirTags {
	readonly #byFirst: Tag[][] = Array.from({ length: 256 }, () => []);
	readonly #excluded: readonly Uint8Array[];

	constructor(excluded: readonly string[]) {
		for (const [kind, tags] of Object.entries(TAGS)) {
			for (const tag of tags) {
				const prefix = Buffer.from(tag, 'latin1');
				this.#byFirst[prefix[0]].push({ prefix, kind: kind as AirLineKind });
			}
		}
		for (const tags of this.#byFirst) tags.sort((a, b) => b.prefix.length - a.prefix.length);
		this.#excluded = excluded.map((tag) => Buffer.from(tag, 'latin1')).sort((a, b) => a.length - b.length);
	}

	kindOf(bytes: Uint8Array, start: number, end: number): AirLineKind {
		if (start === end) return 'other';
		for (const { prefix, kind } of this.#byFirst[bytes[start]]) {
			if (!startsWith(bytes, start, end, prefix)) continue;
			// A line that has more text after END is not the last of an AIR: END is a word of that text.
			if (kind === 'end' && prefix.length === 3 && !isBlank(bytes, start + 3, end)) continue;
			return kind;
		}
		return 'other';
	}

	/**
	 * Tells at a glance whether the line may begin or end an AIR, or have the label of a security code glued to its tag. Most
	 * lines do not.
	 */
	mayMatter(bytes: Uint8Array, start: number, end: number): boolean {
		if (bytes[start] === A || bytes[start] === E) return true;
		for (let at = start + SHORTEST_TAG; at <= start + LONGEST_TAG && at < end; at++) {
			if (bytes[at] >= FIRST_HIGH || ((bytes[at] | 0x20) === SMALL_C && (bytes[at + 1] | 0x20) === SMALL_V))
				return true;
		}
		return false;
	}

	/** Returns the length of the shortest excluded tag that the line begins with, or 0 if the line is not excluded. */
	excludedLength(bytes: Uint8Array, start: number, end: number): number {
		for (const tag of this.#excluded) if (startsWith(bytes, start, end, tag)) return tag.length;
		return 0;
	}
}

const ALL_TAGS: ReadonlySet<string> = new Set(SHOWN_TAGS);

/**
 * Returns where the text of a line begins if the label of a security code is glued to the line's tag, as in `RMCVV 123`;
 * otherwise `start`.
 */
export function labelBehindTag(bytes: Buffer, start: number, end: number): number {
	for (let at = start + SHORTEST_TAG; at <= start + LONGEST_TAG && at < end; at++) {
		if (isCvvLabel(bytes, at, end) && ALL_TAGS.has(bytes.toString('latin1', start, at))) return at;
	}
	return start;
}

const SHOWN = SHOWN_TAGS.map((tag) => Buffer.from(tag, 'latin1')).sort((a, b) => b.length - a.length);

/** Returns the longest tag of `SHOWN_TAGS` with which a line begins, or undefined if it begins with none. */
export function shownTag(bytes: Uint8Array, start: number, end: number): string | undefined {
	return SHOWN.find((tag) => startsWith(bytes, start, end, tag))?.toString('latin1');
}

/**
 * Tells whether the option `excludedTags` must not name a tag: without the lines of such a tag, the beginning or end of
 * an AIR would not be found, or payments would stay in clear.
 */
export function isNeededTag(tag: string): boolean {
	return [...TAGS.begin, ...TAGS.end, ...TAGS.payment].some((own) => tag.startsWith(own) || own.startsWith(tag));
}
