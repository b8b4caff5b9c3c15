// This process accepts a file, processes it, and kills itself at the point that it was given, without cleaning up.

import process from 'node:process';
import type { BlobStore } from '../../src/base/blobs/blob-store.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { openIntake } from '../../src/work/jobs/intake.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import { engineDouble, ledgersDouble } from './engine-double.ts';
import { sealAlone } from './seal-alone.ts';
import { openWorkerParts, type WorkerSetup } from './worker-parts.ts';

/** The points at which the process can kill itself, in the order in which a file passes them. */
export const KILL_POINTS = [
	'in the middle of the upload',
	'between sealing and accepting',
	'after accepting',
	'in the middle of the attempt',
	'inside the publishing transaction',
	'after publishing',
] as const;
export type KillPoint = (typeof KILL_POINTS)[number];

export const CRASH_CONTENT = '<number> of a line\n'.repeat(40_000);

async function main(setup: WorkerSetup, point: KillPoint): Promise<void> {
	const die = (at: KillPoint) => {
		if (at === point) process.kill(process.pid, 'SIGKILL');
	};
	const parts = await openWorkerParts(setup);
	const { database, keyRing } = parts;
	const blobs = { ...parts.blobs, holding: () => Object.assign(blobs, { held: new Map() }) } as BlobStore;
	const drops = new Drops({ database, keyRing, blobs, daemonId: 'dying' });
	const folder = { accountId: 7 as AccountId, area: 'tokenize' as const, filter: 'GBT' };
	const upload = await drops.begin({ folder, name: 'may.csv', createdBy: 'alice' });
	await upload.write(0, Buffer.from(CRASH_CONTENT));
	await upload.sync();
	die('in the middle of the upload');
	if (point === 'between sealing and accepting') await sealAlone({ seal: () => drops.seal(upload) });
	die('between sealing and accepting');
	await openIntake({ database, drops }).accept(upload);
	die('after accepting');
	const now = Date.now();
	const job = await queueStore(database.knex, database.dialect).claim({ daemonId: 'dying', now, leaseUntil: now });
	const hooks = {
		onChunk: (_: string, chunk: number) => {
			if (chunk === 5) die('in the middle of the attempt');
		},
	};
	const double = engineDouble(database, hooks);
	const ledgers = ledgersDouble({
		...double,
		async adopt(transaction, jobIds) {
			await double.adopt(transaction, jobIds);
			die('inside the publishing transaction');
			// Obsolete blobs are removed after the commit, and the scratch ones after that.
			blobs.remove = async () => die('after publishing');
		},
	});
	await runAttempt({ ...parts, blobs, engine: double, ledgers }, job!);
	throw new Error(`internal error: did not die ${point}`);
}

if (process.argv[1]?.endsWith('crash-child.ts')) {
	void main(JSON.parse(process.argv[2]), process.argv[3] as KillPoint);
}
