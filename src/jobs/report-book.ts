// What a pass tells, gathered for its report: texts counted with their first places, and entries, at most 1,000 of them
// unless all are asked for. A file of a million cards costs no more memory than one of a hundred.

import { isAboutOthers, type ReportEntry, type ReportPlace, type ReportSink } from '../transfer/report.ts';

/** Entries given in full unless all are asked for. */
export const MAX_ENTRIES = 1_000;
/** Places given with each text. */
const FIRST_PLACES = 10;
/** Texts in each list. They come from tables of a few; this holds whatever else may be told. */
const MAX_TEXTS = 10;
const OTHER_TEXTS = 'Other reasons';

/** A text that holds for any number of cards, tokens or numbers, and where the first of them stand. */
export interface CountedText {
	readonly text: string;
	cards: number;
	readonly places: ReportPlace[];
}

/** Where entries go that are not kept in memory: lines of JSON, each an entry. `remove` is called whatever happened. */
export interface EntryStore {
	/** A promise says when there is room for the next one. */
	add(line: string): Promise<void> | undefined;
	finish(): Promise<void>;
	/** To be read after `finish`, any number of times. */
	lines(): AsyncIterable<readonly string[]>;
	remove(): Promise<void>;
}

/** What `ReportSink.warned` is given, but for the card. */
type Told = [warnings: readonly string[], place: Pick<ReportPlace, 'record' | 'line'>, offset: number, card?: number];

/** The report of one pass while it is being told. */
export class ReportBook implements ReportSink {
	readonly warnings: CountedText[] = [];
	/** Why cards were refused, or tokens not resolved. */
	readonly refusals: CountedText[] = [];
	/** Numbers and security codes outside the places for cards. */
	readonly others: CountedText[] = [];
	/** Entries beyond those that are given in full. */
	omitted = 0;
	readonly #kept: string[] = [];
	readonly #store: EntryStore | undefined;
	#isFinished = false;

	/** @param store takes every entry; without one the first 1,000 are kept */
	constructor(store?: EntryStore) {
		this.#store = store;
	}

	/** Whether every entry is kept, however many there are. */
	get hasAll(): boolean {
		return this.#store !== undefined;
	}

	warned(...[warnings, { record, line }, offset]: Told): void {
		for (const text of warnings) {
			const counted = count(this.warnings, text);
			if (counted.places.length < FIRST_PLACES) counted.places.push({ record, line, offset });
		}
	}

	entry(entry: ReportEntry): Promise<void> | undefined {
		if (entry.warnings) this.warned(entry.warnings, entry, entry.offset);
		if (entry.reason !== undefined) {
			const counted = count(isAboutOthers(entry) ? this.others : this.refusals, entry.reason);
			if (counted.places.length < FIRST_PLACES) counted.places.push(placeOf(entry));
		}
		if (this.#store) return this.#store.add(JSON.stringify(entry));
		if (this.#kept.length < MAX_ENTRIES) this.#kept.push(JSON.stringify(entry));
		else this.omitted++;
	}

	/** Says that nothing more is told; before that, entries cannot be read. May be called again. */
	async finish(): Promise<void> {
		if (this.#isFinished) return;
		this.#isFinished = true;
		await this.#store?.finish();
	}

	/** The entries that are given in full, each a line of JSON, as many at a time as arrive together. */
	async *lines(): AsyncGenerator<readonly string[]> {
		if (this.#store) yield* this.#store.lines();
		else if (this.#kept.length > 0) yield this.#kept;
	}

	/** Lets go of what is stored. Never fails. */
	async remove(): Promise<void> {
		await this.#store?.remove();
	}
}

function count(list: CountedText[], text: string): CountedText {
	// Few texts, nearly always the same one: a list is faster than a map.
	let counted = list.find((each) => each.text === text);
	if (!counted && list.length < MAX_TEXTS) list.push((counted = { text, cards: 0, places: [] }));
	counted ??= list[MAX_TEXTS - 1].text === OTHER_TEXTS ? list[MAX_TEXTS - 1] : mergeLast(list);
	counted.cards++;
	return counted;
}

/** The last text makes room for all that are left. */
function mergeLast(list: CountedText[]): CountedText {
	const { cards, places } = list[MAX_TEXTS - 1];
	return (list[MAX_TEXTS - 1] = { text: OTHER_TEXTS, cards, places });
}

function placeOf({ record, line, offset, field }: ReportEntry): ReportPlace {
	return { ...(record !== undefined && { record }), line, offset, ...(field !== undefined && { field }) };
}
