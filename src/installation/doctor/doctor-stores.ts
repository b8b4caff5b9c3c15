// Checks the stores of an installation: database, its clock, keys, sealed files, disk.

import { statfs } from 'node:fs/promises';
import { checkDatabaseWritable, findDamagedPages, readClockOffset } from '../../base/database/checks.ts';
import type { Database } from '../../base/database/open.ts';
import {
	describeAway,
	findAwayNodes,
	findCluster,
	loosensCommits,
	missingIn,
} from '../../base/database/postgres/citus.ts';
import { describeServer } from '../../base/database/postgres/host-choice.ts';
import { readSchema, upgradeNotice } from '../../base/database/schema.ts';
import { why } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { type Check, check } from '../../people/operators/finding.ts';
import { findMissingBlobs } from '../../work/drops/check-drops.ts';
import { dropBlobs, findS3Place } from '../../work/drops/drop-blobs.ts';
import { AWAY, checkMasterKey } from '../keys/master-key-watch.ts';
import { checkDropStore } from './free-space.ts';

/** The clocks of database and daemon may differ by this much, because the leases and schedules depend on them. */
const MOST_OFFSET_MS = 1_000;
const SLOW_MS = 250;
const LOW_SHARE = 0.05;
const MOST_NAMED = 3;

function pageCheck(database: Database): Check {
	return check('pages of the database', async ({ ok, problem, warning }) => {
		const damaged = await findDamagedPages(database);
		if (damaged === undefined) {
			const todo =
				'as a superuser, run `create extension amcheck` in the database and ' +
				'`grant execute on function bt_index_check(regclass, boolean) to tokendrop` (or whoever the database knows ' +
				'the daemon as), so that damaged pages are found';
			return warning(why('amcheck is not there, or not allowed, to look at them', 'pages-unseen'), todo);
		}
		if (damaged.length === 0) return ok(why('none is damaged', 'pages-whole'));
		const says = `some are damaged: ${damaged.slice(0, MOST_NAMED).join('; ')}`;
		const todo = 'look after the disk, stop the daemon, and restore the last good backup (docs/backup.md)';
		return problem(why(says, 'pages-damaged'), todo);
	});
}

/** Looks at every host of a database that has several, so that a failover finds one that can take over. */
function hostCheck(database: Database): Check {
	return check('hosts of the database', async ({ ok, problem, warning }) => {
		const hosts = await database.findHosts();
		if (hosts.length < 2) return [];
		const says = hosts.map(({ host, role, problem }) => `${host}: ${role ?? problem}`).join(', ');
		if (hosts.filter(({ role }) => role === 'primary').length > 1) {
			const todo = 'stop all but one of them at once: what daemons write to the others is lost';
			return problem(why(`several take writes: ${says}`, 'several-primaries'), todo);
		}
		if (hosts.every(({ role }) => role !== undefined)) return ok(why(says, 'servers-answer'));
		return warning(why(says, 'hosts-away'), 'start the servers that do not answer, or take them out of databaseUrl');
	});
}

/** Looks at a cluster of Citus: whether all that grows is spread, every server answers, and settings keep what was stored. */
function clusterCheck(database: Database): Check {
	return check('servers of the cluster', async ({ ok, problem, warning }) => {
		const cluster = await findCluster(database);
		if (!cluster || cluster.servers.length === 0) return [];
		const missing = missingIn(cluster);
		if (missing.length > 0) {
			const tables = missing.join(', ');
			const says = `the database is a coordinator of Citus, but these are not spread: ${tables}`;
			return warning(
				why(says, 'tables-not-spread', { tables }),
				'stop all daemons and run `tokendrop database distribute` (docs/scale.md)',
			);
		}
		if (await loosensCommits(database.knex)) {
			const todo = 'set `citus.propagate_set_commands` to none for the role and the database of the daemons';
			const says = 'their commits do not wait for the disk, so what was acknowledged may be lost';
			return problem(why(says, 'commits-not-safe'), todo);
		}
		const away = await findAwayNodes(database);
		if (away.length > 0) {
			const says = why(describeAway(away), 'servers-away', { servers: away.join(', ') });
			return problem(says, 'start them, or promote their standbys (docs/scale.md)');
		}
		return ok(why(`all ${cluster.servers.length} answer`, 'servers-answer'));
	});
}

/** Looks whether what is removed from the bucket is gone. */
function bucketCheck({ drops }: Pick<Settings, 'drops'>): Check {
	return check('bucket', async ({ ok, warning }) => {
		const { dropBucket } = await import('../../base/blobs/s3/drop-bucket.ts');
		const isVersioned = await dropBucket(findS3Place(drops)!)
			.isVersioned()
			.catch(() => undefined);
		if (isVersioned === false) return ok(why('keeps no former versions of files', 'bucket-plain'));
		const says = isVersioned
			? 'keeps former versions of files, also of removed ones'
			: 'does not say whether it keeps former versions';
		const todo =
			'switch versioning off, or let a rule of the bucket remove former versions after a day (docs/operations.md, "Drops in a bucket")';
		return warning(why(says, 'bucket-keeps-versions'), todo);
	});
}

export function storeChecks(
	{ database, keyRing }: { database: Database; keyRing: KeyRing },
	settings: Settings,
	now: () => Date,
	/** True to skip the search for missing files, because it has to look up every file. */
	{ isQuick = false }: { readonly isQuick?: boolean } = {},
): Check[] {
	const blobs = dropBlobs(settings, database);
	return [
		check('database', async ({ ok, problem, warning }) => {
			const server = await database.findServer();
			if (server?.lacksStandby) {
				const todo = 'start the standby, or empty synchronous_standby_names on this server until there is one';
				return problem(why(describeServer(server), 'standby-missing'), todo);
			}
			const startedAt = performance.now();
			await checkDatabaseWritable(database, now());
			const ms = Math.round(performance.now() - startedAt);
			const kind = server ? `${database.dialect} (${describeServer(server)})` : database.dialect;
			const says = `${kind}, a row is written in ${ms} ms`;
			if (ms < SLOW_MS) return ok(why(says, 'database-quick', { ms }));
			const slow = `, which is slow (${SLOW_MS} ms and more): every upload and every stored card waits for such writes`;
			const todo = 'find out what else uses the disk or the server of the database, and run this again when that rests';
			return warning(why(says + slow, 'database-slow', { ms }), todo);
		}),
		check('schema', async ({ ok, warning }) => {
			const notice = upgradeNotice(await readSchema(database));
			if (!notice) return ok(why('as this version has it', 'schema-fits'));
			return warning(why(`an upgrade is under way: ${notice.says}`, 'upgrade-under-way'), notice.todo);
		}),
		hostCheck(database),
		clusterCheck(database),
		...(isQuick ? [] : [pageCheck(database)]),
		check('clock', async ({ ok, problem }) => {
			const offset = await readClockOffset(database, () => now().getTime());
			const own = `${now().toISOString()}; the database has no clock of its own`;
			if (offset === null) return ok(why(own, 'clocks-agree'));
			const says = `${now().toISOString()}; that of the database is ${Math.abs(offset)} ms ${offset < 0 ? 'behind' : 'ahead'}`;
			if (Math.abs(offset) <= MOST_OFFSET_MS) return ok(why(says, 'clocks-agree'));
			const harm =
				': daemons with different clocks take jobs of each other, and delete files and CVVs at the wrong time';
			const todo = 'let both machines take their time from one NTP server; a daemon that is 5 s off does not start';
			return problem(why(says + harm, 'clocks-differ', { ms: Math.abs(offset) }), todo);
		}),
		check('keys', async ({ ok, warning }) => {
			const said = await checkMasterKey(keyRing);
			if (said === undefined) return ok(why('the master key opens them', 'keys-open'));
			if (said === AWAY)
				return warning(
					why(AWAY, 'key-service-away'),
					'bring the key service back, or the way to it; the log of the daemon says what it answers',
				);
			const says = 'the master key was replaced, and this process has the former one, which the next sweep may retire';
			const todo =
				'give the new master key to every daemon and to everybody who runs commands; a minute later run ' +
				'`tokendrop key sweep` (docs/operations.md, "Keys")';
			return warning(why(says, 'master-key-replaced'), todo);
		}),
		check('drops', async ({ ok, problem, warning }) => {
			const said = await checkDropStore(blobs);
			const missing: string[] = [];
			for await (const { area, filter, id } of isQuick ? [] : findMissingBlobs({ database, blobs })) {
				missing.push(`${area}/${filter} (file ${id})`);
			}
			if (missing.length > 0) {
				const more = missing.length > MOST_NAMED ? ' and more' : '';
				const named = `${missing.slice(0, MOST_NAMED).join(', ')}${more}`;
				const says =
					missing.length === 1
						? `1 stored file is gone: ${named}; its job fails, and it cannot be fetched`
						: `${missing.length} stored files are gone: ${named}; their jobs fail, and they cannot be fetched`;
				const todo =
					settings.drops.store === null
						? 'look whether dataDir is the one of this database; if it is, bring drops/ back from a backup, or have ' +
							'the files sent again'
						: 'look whether drops.store is the one of this database; if it is, have the files sent again';
				return problem(why(says, 'files-missing', { files: missing.length }), todo);
			}
			if (said === undefined) {
				return ok(
					why(isQuick ? 'files can be written' : 'files can be written, and none is missing', 'drops-writable'),
				);
			}
			const todo = 'make room, or shorten retention.dropsDays and run `tokendrop retention run`';
			return warning(why(`${said}: when it is full, uploads are refused and jobs wait`, 'disk-low'), todo);
		}),
		...(settings.drops.store === null ? [] : [bucketCheck(settings)]),
		check('disk', async ({ ok, problem, warning }) => {
			const { bsize, blocks, bavail } = await statfs(settings.dataDir);
			const share = bavail / blocks;
			const says = `${gigabytes(bsize * bavail)} of ${gigabytes(bsize * blocks)} are free (${Math.floor(share * 100)} %)`;
			const { free } = await blobs.space();
			if (free === 0) {
				const todo = `make room on the disk of ${settings.dataDir}; no restart is needed`;
				return problem(why(`${says}: no more files are accepted`, 'disk-full'), todo);
			}
			if (share >= LOW_SHARE) return ok(why(says, 'disk-free', { percent: Math.floor(share * 100) }));
			const todo = `make room on the disk of ${settings.dataDir} before that`;
			return warning(why(`${says}: when it is full, uploads are refused and jobs wait`, 'disk-low'), todo);
		}),
	];
}

function gigabytes(bytes: number): string {
	return `${(bytes / 1e9).toFixed(1)} GB`;
}
