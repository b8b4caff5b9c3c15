// Waits for the end of a run, and carries it out in this process if no daemon takes it.

import { setTimeout as sleep } from 'node:timers/promises';
import { withRenewedLease } from '../../../base/database/renewed-lease.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { carryOut, type RunParts } from './carry-out.ts';
import { RunLostError } from './run-errors.ts';
import { type RunRow, runStore } from './run-store.ts';

/** A daemon looks for runs several times a second, so after this time there is none. */
const NO_DAEMON_MS = 2_500;
const LEASE_MS = 30_000;
const POLL_MS = 100;

/** Waits until a run has ended, whoever carries it out. */
export async function carryOutHere(parts: RunParts, asked: RunRow): Promise<void> {
	const store = runStore(parts.database.knex);
	// The name says that the lease is that of a command, which a daemon that starts leaves alone.
	const daemonId = `command:${process.pid}:${makeUlid(Date.now())}`;
	const since = performance.now();
	for (;;) {
		const run = await store.findById(asked.id);
		if (run?.state !== 'running') return;
		const isFree = run.claimed_by === null || (run.lease_until ?? 0) < Date.now();
		if (isFree && performance.now() - since > NO_DAEMON_MS) {
			if (await store.take(run, { daemonId, leaseUntil: Date.now() + LEASE_MS })) await withLease(run);
		} else await sleep(POLL_MS);
	}

	async function withLease(run: RunRow): Promise<void> {
		const stop = new AbortController();
		const renew = async () => {
			const kept = await store.renew([run.id], { daemonId, leaseUntil: Date.now() + LEASE_MS });
			if (!kept.has(run.id)) stop.abort(new RunLostError());
		};
		try {
			await withRenewedLease(LEASE_MS, renew, () => carryOut(parts, run, daemonId, stop.signal));
		} catch (error) {
			await store.release(run.id, daemonId);
			if (!(error instanceof RunLostError)) throw error;
		}
	}
}
