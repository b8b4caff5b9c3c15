// Checks the stores of an installation: database, its clock, keys, sealed files, disk.

import { statfs } from 'node:fs/promises';
import { readClockOffset } from '../database/clock-check.ts';
import { checkDatabaseWritable } from '../database/write-check.ts';
import { findMissingBlobs } from '../drops/check-drops.ts';
import { dropBlobs } from '../drops/drop-blobs.ts';
import { type Check, ok, problem, warning } from '../operators/finding.ts';
import type { Settings } from '../settings.ts';
import { checkDropStore } from './free-space.ts';
import { checkMasterKey } from './master-key-watch.ts';
import type { Rooms } from './open-rooms.ts';

/**
 * The clocks of database and daemon may differ by this much. The leases and schedules of several daemons depend on the
 * clock.
 */
const MOST_OFFSET_MS = 1_000;
const SLOW_MS = 250;
const LOW_SHARE = 0.05;
const MOST_NAMED = 3;

export function storeChecks(
	rooms: Pick<Rooms, 'database' | 'keyRing'>,
	settings: Settings,
	now: () => Date,
	/** True to skip the search for missing files, because it has to look up every file. */
	{ isQuick = false }: { readonly isQuick?: boolean } = {},
): Check[] {
	const { database, keyRing } = rooms;
	const blobs = dropBlobs(settings, database);
	return [
		{
			name: 'database',
			async look() {
				const startedAt = performance.now();
				await checkDatabaseWritable(database, now());
				const ms = Math.round(performance.now() - startedAt);
				const says = `${database.dialect}, every migration is there, a row is written in ${ms} ms`;
				if (ms < SLOW_MS) return ok('database', says);
				return warning('database', says, 'look at the disk of the database and at what else uses it');
			},
		},
		{
			name: 'clock',
			async look() {
				const offset = await readClockOffset(database, () => now().getTime());
				if (offset === null) return ok('clock', `${now().toISOString()}; the database has no clock of its own`);
				const says = `${now().toISOString()}; that of the database is ${Math.abs(offset)} ms ${offset < 0 ? 'behind' : 'ahead'}`;
				if (Math.abs(offset) <= MOST_OFFSET_MS) return ok('clock', says);
				return problem('clock', says, 'let both machines take their time from one NTP server');
			},
		},
		{
			name: 'keys',
			async look() {
				const said = await checkMasterKey(keyRing);
				if (said === undefined) return ok('keys', 'the master key opens them');
				return warning('keys', said, 'give every daemon the new master key, then run `tokendrop key sweep`');
			},
		},
		{
			name: 'drops',
			async look() {
				const said = await checkDropStore(blobs);
				const missing: string[] = [];
				for await (const { area, filter, id } of isQuick ? [] : findMissingBlobs({ database, blobs })) {
					missing.push(`${area}/${filter} (file ${id})`);
				}
				if (missing.length > 0) {
					const named = missing.slice(0, MOST_NAMED).join(', ');
					const todo =
						'is dataDir the one of this database? Bring drops/ back from a backup, or have the files sent again';
					return problem('drops', `${missing.length} stored files are gone: ${named}`, todo);
				}
				if (said === undefined)
					return ok('drops', isQuick ? 'files can be written' : 'files can be written, and none is missing');
				return warning('drops', said, 'make room, or shorten retention.dropsDays and run `tokendrop retention run`');
			},
		},
		{
			name: 'disk',
			async look() {
				const { bsize, blocks, bavail } = await statfs(settings.dataDir);
				const share = bavail / blocks;
				const says = `${gigabytes(bsize * bavail)} of ${gigabytes(bsize * blocks)} are free (${Math.floor(share * 100)} %)`;
				const { free } = await blobs.space();
				if (free === 0)
					return problem('disk', `${says}: no more files are accepted`, 'make room; no restart is needed');
				return share < LOW_SHARE ? warning('disk', says, 'make room before uploads are refused') : ok('disk', says);
			},
		},
	];
}

function gigabytes(bytes: number): string {
	return `${(bytes / 1e9).toFixed(1)} GB`;
}
