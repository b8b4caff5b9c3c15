// Runs generated files through the engine, there and back, and adds up what the judge says of them.

import type { ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import { openVaultParts, type Swapped, swap } from '../helpers/vault-parts.ts';
import type { GeneratedFile, Place } from './draft.ts';
import { generateFile } from './generators.ts';
import { judge } from './judge.ts';

/** The sums of what the judge says of the files of one filter. */
export interface Tally {
	files: number;
	knownCards: number;
	unlistedCards: number;
	/** Files that were refused although they have a place with a known name. */
	refusedFiles: number;
	/** Files that were refused and have no such place. */
	rightlyRefused: number;
	changedDecoys: number;
	toldDecoys: number;
	inverseErrors: number;
	unlistedInClear: number;
	strayChanges: number;
	/** Numbers and CVVs in clear of which the report says nothing, by class of place. */
	readonly silent: Map<string, Occurrences>;
	/** Wrongly refused files, by the message of the error. */
	readonly refusals: Map<string, Occurrences>;
	/** Valid cards in known places that were refused or only reported, and other errors that the judge has found. */
	readonly notSwapped: Map<string, Occurrences>;
}

/** How often something happened, and the first file in which it did. */
export interface Occurrences {
	count: number;
	readonly seed: string;
	readonly example: string;
}

export type Transfer = (file: GeneratedFile, direction: 'tokenize' | 'detokenize', bytes: Buffer) => Promise<Swapped>;

/** Opens an engine over a vault of its own, for an account that keeps no CVVs. The vault closes when `t` is torn down. */
export async function openReferee(t: Pick<ExecutionContext, 'teardown'>): Promise<Transfer> {
	const parts = await openVaultParts(t as ExecutionContext);
	const engine = parts.engine([...formats.values()] as unknown as Format<never>[]);
	return ({ filter, options }, direction, bytes) =>
		swap(parts, engine, { filter, options, direction, bytes, accountId: 2 });
}

/** Judges the first `count` files of a filter under a seed, with these options over those of each file. */
export async function refereeFilter(
	transfer: Transfer,
	filter: string,
	seed: string,
	count: number,
	options: Record<string, unknown> = {},
): Promise<Tally> {
	const tally: Tally = {
		files: count,
		knownCards: 0,
		unlistedCards: 0,
		refusedFiles: 0,
		rightlyRefused: 0,
		changedDecoys: 0,
		toldDecoys: 0,
		inverseErrors: 0,
		unlistedInClear: 0,
		strayChanges: 0,
		silent: new Map(),
		refusals: new Map(),
		notSwapped: new Map(),
	};
	for (let index = 0; index < count; index++) {
		const file = generateFile(filter, seed, index);
		await refereeFile(transfer, { ...file, options: { ...file.options, ...options } }, tally);
	}
	return tally;
}

async function refereeFile(transfer: Transfer, file: GeneratedFile, tally: Tally): Promise<void> {
	let there: Swapped;
	try {
		there = await transfer(file, 'tokenize', file.bytes);
	} catch (error) {
		if (!(error instanceof FileError)) throw error;
		if (file.hasNoKnownPlace) tally.rightlyRefused++;
		else {
			tally.refusedFiles++;
			add(tally.refusals, error.message.replace(/"[^"]*"/g, '"…"').slice(0, 90), file, undefined, error.message);
		}
		return;
	}
	const verdict = judge(file, { output: there.bytes, entries: there.entries, notices: there.summary.notices });
	tally.knownCards += verdict.knownCards;
	tally.unlistedCards += verdict.unlistedCards;
	tally.changedDecoys += verdict.changedDecoys.length;
	tally.unlistedInClear += verdict.unlistedInClear.length;
	tally.toldDecoys += verdict.toldDecoys.length;
	for (const place of verdict.silent) add(tally.silent, `${place.kind}: ${place.what}`, file, place);
	for (const { place, reason } of verdict.refused) add(tally.notSwapped, `${place.what}: ${reason}`, file, place);
	for (const place of verdict.onlyTold) add(tally.notSwapped, `${place.what}: only told`, file, place);
	for (const place of verdict.changedDecoys) add(tally.notSwapped, `${place.what}: swapped`, file, place);
	if (verdict.strayChange !== undefined) {
		tally.strayChanges++;
		add(tally.notSwapped, 'bytes changed outside every place', file, {
			start: verdict.strayChange,
			end: verdict.strayChange,
		});
	}
	const back = await transfer(file, 'detokenize', there.bytes).catch((error: unknown) => {
		if (!(error instanceof FileError)) throw error;
		add(tally.notSwapped, `refused on the way back: ${error.message}`, file, undefined, error.message);
		return undefined;
	});
	if (verdict.strayChange === undefined && !back?.bytes.equals(verdict.expectedBack)) tally.inverseErrors++;
}

function add(
	map: Map<string, Occurrences>,
	key: string,
	file: GeneratedFile,
	place?: Pick<Place, 'start' | 'end'>,
	example?: string,
): void {
	const known = map.get(key);
	if (known) known.count++;
	else map.set(key, { count: 1, seed: file.seed, example: example ?? excerpt(file.bytes, place!) });
}

/** Returns the text around a place, which may be shown because it is generated and has only public test numbers. */
function excerpt(bytes: Buffer, { start, end }: Pick<Place, 'start' | 'end'>): string {
	return JSON.stringify(bytes.toString('utf8', Math.max(0, start - 40), Math.min(bytes.length, end + 24)));
}
