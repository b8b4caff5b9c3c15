// Judges what became of a generated file: what was swapped, what stands in clear, and whether the report says so.

import type { ReportEntry } from '../../src/engine/report.ts';
import type { GeneratedFile, Place } from './draft.ts';

/** The output and the report of one pass, as the engine gives them. */
export interface Told {
	readonly output: Buffer;
	readonly entries: readonly ReportEntry[];
	readonly notices: readonly string[];
}

export interface Verdict {
	readonly knownCards: number;
	readonly unlistedCards: number;
	/** Numbers and CVVs in clear of which the report says nothing. */
	readonly silent: readonly Place[];
	/** Valid numbers in known places that were refused, and why. */
	readonly refused: readonly { readonly place: Place; readonly reason: string }[];
	/** Known places whose number was reported but not swapped. */
	readonly onlyTold: readonly Place[];
	/** Valid numbers in clear outside the known places, whether the report names them or not. */
	readonly unlistedInClear: readonly Place[];
	readonly changedDecoys: readonly Place[];
	readonly toldDecoys: readonly Place[];
	/** The offset in the input from which the output differs outside every place, or undefined if it does not. */
	readonly strayChange: number | undefined;
	/** What detokenizing must give: the input, with the stars of the output in place of CVVs. */
	readonly expectedBack: Buffer;
}

const TOKEN = /^[0-9A-Fa-f]{32}/;
const TAIL = /^ TKN-[0-9A-Fa-f]{32}/;

/** Compares input, output and report of a file that was tokenized with its default options. */
export function judge(file: GeneratedFile, told: Told): Verdict {
	const { states, strayChange, expectedBack } = align(file, told.output);
	const isSpoken = reportedPlaces(file, told);
	const all = file.places;
	const inClear = all.filter((place) => states.get(place) === 'clear');
	const numbers = all.filter(({ kind }) => kind === 'number');
	// A number that no reader takes for a card has to be reported where a card is expected, and only there.
	const mustTell = inClear.filter(
		(place) => place.kind === 'cvv' || (place.kind === 'number' && (place.isKnown || place.isValid)),
	);
	const isTold = (place: Place) => isSpoken.get(place) !== undefined;
	const valid = inClear.filter((place) => place.kind === 'number' && place.isKnown && place.isValid && isTold(place));
	return {
		knownCards: numbers.filter(({ isKnown }) => isKnown).length,
		unlistedCards: numbers.filter(({ isKnown }) => !isKnown).length,
		// Behind a change outside every place, no other place can be found in the output; such a change is an error of its own.
		silent: strayChange === undefined ? mustTell.filter((place) => !isTold(place)) : [],
		refused: valid.flatMap((place) => {
			const entry = isSpoken.get(place) as ReportEntry;
			return entry.outcome === 'refused' ? [{ place, reason: entry.reason ?? '' }] : [];
		}),
		onlyTold: valid.filter((place) => (isSpoken.get(place) as ReportEntry).outcome === 'otherNumber'),
		unlistedInClear: inClear.filter(({ kind, isKnown, isValid }) => kind === 'number' && !isKnown && isValid),
		changedDecoys: all.filter((place) => place.kind === 'decoy' && states.get(place) === 'swapped'),
		toldDecoys: all.filter((place) => place.kind === 'decoy' && isTold(place)),
		strayChange,
		expectedBack,
	};
}

/** Walks input and output side by side: between places they are equal, and a place has its text, a token or stars. */
function align({ bytes, places }: GeneratedFile, output: Buffer) {
	const states = new Map<Place, 'clear' | 'swapped'>();
	const back: Buffer[] = [];
	const walk = { from: 0, to: 0, stray: undefined as number | undefined };
	const copy = (end: number) => {
		while (walk.from < end) {
			if (bytes[walk.from] === output[walk.to]) {
				walk.from++;
				walk.to++;
				continue;
			}
			const tail = TAIL.exec(output.toString('latin1', walk.to, walk.to + 37));
			if (!tail) return walk.from;
			walk.to += tail[0].length;
		}
		return undefined;
	};
	let copied = 0;
	for (const [at, place] of places.entries()) {
		const stray = copy(place.start);
		if (stray !== undefined) return { states: allClear(places, states), strayChange: stray, expectedBack: bytes };
		const raw = bytes.toString('latin1', place.start, place.end);
		const next = bytes
			.toString('latin1', place.end, Math.min(bytes.length, places[at + 1]?.start ?? bytes.length))
			.slice(0, 12);
		const found = whatStands(output.toString('latin1', walk.to, walk.to + raw.length + 60), raw, next, place.kind);
		// The output has neither what stood at the place nor anything that may replace it.
		if (
			found.state === 'clear' &&
			!output.subarray(walk.to, walk.to + found.length).equals(bytes.subarray(place.start, place.end))
		) {
			return { states: allClear(places, states), strayChange: place.start, expectedBack: bytes };
		}
		states.set(place, found.state);
		if (place.kind === 'cvv' && found.state === 'swapped') {
			back.push(bytes.subarray(copied, place.start), output.subarray(walk.to, walk.to + found.length));
			copied = place.end;
		}
		walk.from = place.end;
		walk.to += found.length;
	}
	const stray = copy(bytes.length);
	const rest = output.toString('latin1', walk.to);
	const strayChange = stray ?? (rest === '' || TAIL.exec(rest)?.[0] === rest ? undefined : bytes.length);
	back.push(bytes.subarray(copied));
	return { states, strayChange, expectedBack: Buffer.concat(back) };
}

function allClear(places: readonly Place[], states: Map<Place, 'clear' | 'swapped'>) {
	for (const place of places) if (!states.has(place)) states.set(place, 'clear');
	return states;
}

/** Returns what stands at a place. `text` is the output from there on, `next` the input behind the place. */
function whatStands(
	text: string,
	raw: string,
	next: string,
	kind: Place['kind'],
): { state: 'clear' | 'swapped'; length: number } {
	const clear = { state: 'clear', length: raw.length } as const;
	if (kind === 'cvv') {
		const stars = '*'.repeat(raw.length);
		const starred = [stars, `"${stars}"`].find((each) => text.startsWith(each));
		return starred === undefined ? clear : { state: 'swapped', length: starred.length };
	}
	if (text.startsWith(raw + next)) return clear;
	const isQuoted = text.startsWith('"');
	const token = TOKEN.exec(isQuoted ? text.slice(1) : text);
	if (token) return { state: 'swapped', length: isQuoted ? 34 : 32 };
	// In fixed columns the number is masked where it stands, and the token is at the end of the line.
	return /^X+\d{4}/.exec(text)?.[0].length === raw.length ? { state: 'swapped', length: raw.length } : clear;
}

/** Returns the entry or notice that speaks of each place, by its bytes, or by its line and last four digits. */
function reportedPlaces(file: GeneratedFile, { entries, notices }: Told): Map<Place, ReportEntry | string> {
	const spoken = new Map<Place, ReportEntry | string>();
	const open = entries.filter(
		({ outcome }) => outcome === 'refused' || outcome === 'otherNumber' || outcome === 'unresolved',
	);
	const numbers = file.places.filter(({ kind }) => kind !== 'cvv');
	// Codes outside the card fields have entries of their own.
	const codes = file.places.filter(({ kind }) => kind === 'cvv');
	for (const entry of entries) {
		const place = codes.find(
			({ start, end }) => entry.outcome === 'otherCode' && entry.offset >= start - 2 && entry.offset < end,
		);
		if (place) spoken.set(place, entry);
	}
	const rest = open.filter((entry) => {
		const here = numbers.filter(({ start, end, lead = 2 }) => entry.offset >= start - lead && entry.offset < end);
		for (const place of here) spoken.set(place, entry);
		return here.length === 0;
	});
	for (const entry of rest) {
		const place = numbers.find(
			(each) =>
				!spoken.has(each) &&
				each.line === entry.line &&
				each.digits !== undefined &&
				each.digits.slice(-4) === entry.lastFour,
		);
		if (place) spoken.set(place, entry);
	}
	const said = notices.map(plain);
	for (const place of file.places) {
		if (spoken.has(place)) continue;
		// The search outside the card fields ignores a number with a wrong check digit, but a notice may name its column.
		if (place.kind === 'number' && place.isValid === false) {
			const notice = notices.find((each) => namesColumn(each, place) && /\bcard numbers?\b/.test(each));
			if (notice !== undefined) spoken.set(place, notice);
		}
		if (place.kind !== 'cvv') continue;
		const number = file.places.find((each) => {
			const entry = each.kind === 'number' && each.card === place.card ? spoken.get(each) : undefined;
			// The entry of a refused card speaks of all its fields; that of a number outside them speaks only of its line.
			return entry && ((entry as ReportEntry).outcome === 'refused' || each.line === place.line);
		});
		if (number) spoken.set(place, spoken.get(number)!);
		const name = plain(place.name ?? '');
		// A short name may be part of any word by chance, so it has to be a whole word.
		const isNamed = (each: string, at: number) =>
			name.length > 3 ? each.includes(name) : notices[at].split(/[^\p{L}\p{N}]+/u).some((word) => plain(word) === name);
		const notice = name === '' ? -1 : said.findIndex(isNamed);
		if (notice >= 0) spoken.set(place, notices[notice]);
		const byColumn = notices.find((each) => /\bcodes?\b/.test(each) && namesColumn(each, place));
		if (byColumn !== undefined) spoken.set(place, byColumn);
		const onLine = notices.find((each) => /CVV|code/i.test(each) && new RegExp(`\\b${place.line}\\b`).test(each));
		if (onLine !== undefined) spoken.set(place, onLine);
	}
	return spoken;
}

/** Tells whether a notice names the column of a place. */
function namesColumn(notice: string, { name, columnName }: Place): boolean {
	const quoted = [...notice.matchAll(/"([^"]*)"/g)].map(([, text]) => plain(text));
	return [name, columnName].some((each) => each !== undefined && quoted.includes(plain(each)));
}

/** Returns the letters and digits of a name in lower case, so that it can be compared with what the report shows. */
function plain(text: string): string {
	return text
		.normalize('NFD')
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]/gu, '');
}
