// Remembers the settings with which this daemon last started. Daemons that share a data directory may have different
// settings, so each keeps its own file there, `last-settings/<n>.json`. It locks the file while it runs, so that no
// other daemon compares its settings with those in the file.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockedError, takeExclusiveLock } from '../../base/database/locks.ts';
import { makeFolder, replaceDurably } from '../../base/durable-files.ts';

/** Holds every setting by its key, with secrets and passwords masked. */
export type ShownSettings = Readonly<Record<string, string | number | boolean | null>>;

interface Place {
	readonly number: number;
	readonly lock: { close(): void };
	readonly before: ShownSettings | undefined;
}

const CHOICE_TRIES = 200;
const CHOICE_WAIT_MS = 25;

/**
 * Finds the settings of this daemon's previous start. Of the files that no running daemon has locked, it takes the one
 * that differs least from `now`, the settings of this start. If there is none, it begins a new file.
 */
export async function openLastSettings(dataDir: string, now: ShownSettings) {
	const folder = join(dataDir, 'last-settings');
	await makeFolder(folder);
	const choice = await takeInTurn(join(folder, 'choice.lock'));
	try {
		const { number, lock, before } = choosePlace(folder, now);
		const path = join(folder, `${number}.json`);
		return {
			/** The settings of this daemon's previous start; undefined if there was none. */
			before,
			keep: (settings: ShownSettings) => replaceDurably(path, JSON.stringify(settings), 0o600),
			close: () => lock.close(),
		};
	} finally {
		choice.close();
	}
}

/** Returns the keys of the settings that differ between two starts, those that only one of them has included. */
export function differingKeys(before: ShownSettings, now: ShownSettings): string[] {
	const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
	return [...keys].filter((key) => before[key] !== now[key]).sort();
}

function choosePlace(folder: string, now: ShownSettings): Place {
	const numbers = readdirSync(folder)
		.map((name) => /^(\d+)\.json$/.exec(name)?.[1])
		.filter((number) => number !== undefined)
		.map(Number)
		.sort((a, b) => a - b);
	const free = numbers.map((number) => findPlace(folder, number)).filter((place) => place !== undefined);
	const differences = ({ before }: Place) => (before ? differingKeys(before, now).length : Number.POSITIVE_INFINITY);
	const chosen = free.reduce<Place | undefined>(
		(best, place) => (best && differences(best) <= differences(place) ? best : place),
		undefined,
	);
	for (const place of free) if (place !== chosen) place.lock.close();
	for (let number = 1; ; number++) {
		const place = chosen ?? (numbers.includes(number) ? undefined : findPlace(folder, number));
		if (place) return place;
	}
}

/** Locks the file of settings with this number and reads it; returns undefined if a running daemon has locked it. */
function findPlace(folder: string, number: number): Place | undefined {
	const lock = findLock(join(folder, `${number}.lock`));
	return lock && { number, lock, before: readBefore(join(folder, `${number}.json`)) };
}

function readBefore(path: string): ShownSettings | undefined {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as ShownSettings;
	} catch {
		// The file does not exist or is damaged, so there is nothing to compare with.
		return undefined;
	}
}

function findLock(path: string): { close(): void } | undefined {
	try {
		return takeExclusiveLock(path);
	} catch (error) {
		if (error instanceof LockedError) return undefined;
		throw error;
	}
}

/** Takes the lock under which a daemon chooses its file, so that two that start at once choose in turn. */
async function takeInTurn(path: string): Promise<{ close(): void }> {
	for (let tries = 1; ; tries++) {
		const lock = findLock(path);
		if (lock) return lock;
		if (tries === CHOICE_TRIES) throw new LockedError(`${path} is held by another daemon`);
		await sleep(CHOICE_WAIT_MS);
	}
}
