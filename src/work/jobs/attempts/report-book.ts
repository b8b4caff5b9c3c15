// Collects the report of a pass: texts (warnings and reasons), each with a count and the first places where it applies,
// and entries, at most 1,000 unless all are requested. A file of a million cards needs no more memory than one of a
// hundred.

import { isAboutOthers, type ReportEntry, type ReportPlace, type ReportSink } from '../../../engine/report.ts';

/** At most this many entries are kept unless all are requested. */
export const MAX_ENTRIES = 1_000;
const FIRST_PLACES = 10;
/** Each list has at most so many different texts, as a safeguard: all come from small tables in the code. */
const MAX_TEXTS = 10;
const OTHER_TEXTS = 'Other reasons';

/** Counts the cards, tokens or numbers to which a text (a warning or a reason) applies, with their first places. */
export interface CountedText {
	readonly text: string;
	cards: number;
	readonly places: ReportPlace[];
}

/** Stores entries outside memory: lines of JSON, each an entry. `remove` is always called at the end. */
export interface EntryStore {
	/** Adds an entry. A returned promise resolves when there is space for the next one. */
	add(line: string): Promise<void> | undefined;
	finish(): Promise<void>;
	/** Yields the entries; it may be called any number of times after `finish`. */
	lines(): AsyncIterable<readonly string[]>;
	remove(): Promise<void>;
}

/** The arguments of `ReportSink.warned`. The number of the card is optional, because reports do not use it. */
type Told = [warnings: readonly string[], place: Pick<ReportPlace, 'record' | 'line'>, offset: number, card?: number];

/** Holds the report of one pass while it is being collected. */
export class ReportBook implements ReportSink {
	readonly warnings: CountedText[] = [];
	/** The reasons why cards were refused or tokens were not resolved. */
	readonly refusals: CountedText[] = [];
	/** The numbers and security codes found outside the card fields. */
	readonly others: CountedText[] = [];
	/** Counts the entries beyond those that are kept. */
	omitted = 0;
	readonly #kept: string[] = [];
	readonly #store: EntryStore | undefined;
	#isFinished = false;

	/** @param store stores every entry; without it the first 1,000 entries are kept in memory */
	constructor(store?: EntryStore) {
		this.#store = store;
	}

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

	/** Ends the collection: nothing is added after this, and only then can entries be read. It may be called again. */
	async finish(): Promise<void> {
		if (this.#isFinished) return;
		this.#isFinished = true;
		await this.#store?.finish();
	}

	/** Yields the kept entries, each as a line of JSON, several at a time. */
	async *lines(): AsyncGenerator<readonly string[]> {
		if (this.#store) yield* this.#store.lines();
		else if (this.#kept.length > 0) yield this.#kept;
	}

	/** Removes the stored entries. It never fails. */
	async remove(): Promise<void> {
		await this.#store?.remove();
	}
}

function count(list: CountedText[], text: string): CountedText {
	// There are few different texts, and nearly always the same one is counted, so it is faster to search a list than a
	// map.
	let counted = list.find((each) => each.text === text);
	if (!counted && list.length < MAX_TEXTS) list.push((counted = { text, cards: 0, places: [] }));
	counted ??= list[MAX_TEXTS - 1].text === OTHER_TEXTS ? list[MAX_TEXTS - 1] : mergeLast(list);
	counted.cards++;
	return counted;
}

/** Replaces the last text of a list by one that stands for all remaining texts. */
function mergeLast(list: CountedText[]): CountedText {
	const { cards, places } = list[MAX_TEXTS - 1];
	return (list[MAX_TEXTS - 1] = { text: OTHER_TEXTS, cards, places });
}

function placeOf({ record, line, offset, field }: ReportEntry): ReportPlace {
	return { ...(record !== undefined && { record }), line, offset, ...(field !== undefined && { field }) };
}
