// Delivers a file to a partner or a folder of the server: under a temporary name, with its size compared, then renamed,
// then the done-file. The ledger says before each step what is about to happen, so that a crash at any moment neither loses
// a file nor delivers it twice.

import { posix } from 'node:path';
import { makeUlid } from '../../../base/database/ulid.ts';
import { badInput, type ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { plainName } from '../../../base/openpgp/message-names.ts';
import { noteFetch } from '../../jobs/fetch-store.ts';
import { type FileFacts, fillPlaceholders, nameBeside } from '../document/placeholders.ts';
import { type Route, timeZoneOf } from '../document/route.ts';
import type { LedgerRow } from '../ledger/ledger-store.ts';
import { firstFreeName, type Target, type Unfinished } from '../places/place.ts';
import { copyHashed, type DeliveryParts, note, type RunContext } from './delivery-parts.ts';
import { openContent } from './held-content.ts';

/** What is about to happen at the target. */
interface Intent extends Unfinished {
	/** Size and hash of the whole file, once it was written and only its name is missing. */
	readonly whole?: { readonly size: number; readonly sha256: string };
}

export function factsOf({ id, route }: Pick<RunContext, 'id' | 'route'>, row: LedgerRow): FileFacts {
	const name = row.path.split('/').at(-1)!;
	return {
		name: route.do.decrypt ? plainName(name) : name,
		seq: row.seq ?? 0,
		run: id,
		filter: route.do.filter ?? '',
		at: new Date(row.claimed_at ?? 0),
		timeZone: timeZoneOf(route),
	};
}

/** Delivers a collected file, or finishes a delivery that was interrupted; returns the row that says so. */
export async function deliver(
	parts: DeliveryParts,
	run: RunContext,
	target: Target,
	row: LedgerRow,
): Promise<LedgerRow> {
	const pending = row.intent === null ? undefined : (JSON.parse(row.intent) as Intent);
	if (pending?.whole && (await target.isNamed(pending, pending.whole.size))) {
		return finish(parts, run, target, row, pending);
	}
	if (pending) await target.clear(pending);
	const { to } = run.route;
	const facts = factsOf(run, row);
	const folder = fillPlaceholders(to.place.kind === 'drop' ? '' : to.place.path, facts);
	const isTaken = async (each: string) => (await target.findSize(folder, each)) !== undefined;
	const name = await chooseName('target', fillPlaceholders(to.name, facts), to.exists, isTaken);
	const temporaryName = to.temporaryName === undefined ? name : nameBeside(to.temporaryName, name, run.id);
	const mark = makeUlid(parts.clock.now().getTime());
	return write(parts, run, target, row, { folder, name, temporaryName, mark });
}

/**
 * Returns the name that the file gets.
 * @throws ServiceError if it is taken, and the route refuses that
 */
export async function chooseName(
	where: 'target' | 'folder',
	name: string,
	exists: Route['to']['exists'],
	isTaken: (name: string) => Promise<boolean>,
): Promise<string> {
	if (exists === 'number') return firstFreeName(name, isTaken);
	if (exists === 'refuse' && (await isTaken(name))) throw nameTaken(where);
	return name;
}

function nameTaken(where: 'target' | 'folder'): ServiceError {
	const problem = `the ${where} has a file of this name; to.exists says what then happens`;
	return badInput('fileName', problem, told('name-taken'));
}

async function write(parts: DeliveryParts, run: RunContext, target: Target, before: LedgerRow, begun: Intent) {
	const { folder, name, temporaryName, mark } = begun;
	const replaces = run.route.to.exists === 'replace';
	const content = await openContent(parts, run, before);
	let row = before;
	let intent = begun;
	const noteIntent = async (more: Partial<Intent> = {}) => {
		intent = { ...intent, ...more };
		row = await note(parts, run, row, { intent: JSON.stringify(intent) });
	};
	try {
		if (temporaryName !== name) {
			// The name is ours, and noted first: then whoever goes on clears what has it, also a later run, whose own name is
			// another one.
			await noteIntent();
			await target.clear(intent);
		}
		const names = { folder, name, temporaryName, mark, replaces };
		const file = await target.begin(names, (upload) => noteIntent({ upload }));
		try {
			// The final name may be that of another's file until we have begun ours.
			if (temporaryName === name) await noteIntent();
			const sha256 = await copyHashed(content.pieces(), run.signal, (piece) => file.write(piece));
			await file.publish(async () => {
				if (!replaces && temporaryName !== name && (await target.findSize(folder, name)) !== undefined)
					throw nameTaken('target');
				await noteIntent({ whole: { size: content.size, sha256 } });
			});
		} catch (error) {
			file.abandon(error);
			// If nothing is left there, the next try need not clear it.
			if (target.isAlive && intent.whole === undefined) await target.clear(intent).catch(() => {});
			throw error;
		}
		return await finish(parts, run, target, row, intent);
	} finally {
		await content.close();
	}
}

async function finish(parts: DeliveryParts, run: RunContext, target: Target, row: LedgerRow, delivered: Intent) {
	const { to } = run.route;
	const { folder, name, temporaryName } = delivered;
	const { size, sha256 } = delivered.whole!;
	if (temporaryName !== name) await target.clear(delivered).catch(() => {});
	if (to.doneFile !== undefined) {
		const content = to.checksum === 'sha256' ? `${sha256}  ${name}\n` : '';
		await target.writeShort(folder, nameBeside(to.doneFile, name), Buffer.from(content));
	}
	const deliveredAs = posix.join(folder, name);
	return noteDelivered(parts, run, row, { deliveredAs, size, sha256, facts: target.facts });
}

/** Notes that a file is delivered, in ledger, trail and the downloads of its job. */
async function noteDelivered(
	parts: DeliveryParts,
	run: RunContext,
	row: LedgerRow,
	{ deliveredAs, size, sha256, facts }: { deliveredAs: string; size: number; sha256: string; facts: Target['facts'] },
): Promise<LedgerRow> {
	const at = parts.clock.now().getTime();
	const changes = { intent: null, delivered_as: deliveredAs, delivered_at: at };
	const details = { path: row.path, deliveredAs, size, sha256, job: row.job_id, ...facts };
	const noted = await note(parts, run, row, changes, { entry: { action: 'route.deliver', details } });
	if (row.job_id !== null) {
		const fetch = { jobId: row.job_id, userId: run.actor, door: 'route' as const };
		await noteFetch(parts.database.knex, fetch, { clock: parts.clock, logger: { warn() {} } });
	}
	return noted;
}
