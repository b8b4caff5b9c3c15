// Finds the outcomes of attempts that are unknown: the answer was lost, or the daemon died between sending and
// recording.

import type { Clock } from '../../../base/clock.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { AttemptRow } from './attempt-store.ts';
import { type GatewayCredentials, openCredentials, secretsOf } from './credentials.ts';
import type { Credentials, GatewayDriver } from './driver.ts';
import { type OnGatewayCall, queryDriver } from './driver-call.ts';
import { type Journal, sealedAttemptCredentials } from './journal.ts';
import { type Outcome, outcomeOf } from './operation.ts';
import { orderOf } from './transaction.ts';

/** One run handles at most this many attempts, so that it ends before the next begins. */
const MAX_PER_RUN = 200;
const AT_ONCE = 8;
const FIRST_WAIT_MS = 60_000;
const LAST_WAIT_MS = 6 * 3_600_000;
/** An attempt older than this stays unknown, because no gateway remembers an idempotency key for longer. */
const GIVE_UP_MS = 30 * 24 * 3_600_000;
/**
 * If a gateway answers that it does not know an order, this is believed only if the order was sent at least this long
 * ago, because gateways find new orders with a delay. A driver may set another time.
 */
const ABSENT_AFTER_MS = 60_000;
const NEVER_ARRIVED = outcomeOf('TemporaryFailure', 'The operation never reached the gateway; nothing was done.');

export interface SettlingOptions {
	readonly journal: Journal;
	readonly credentials: GatewayCredentials;
	readonly keyRing: KeyRing;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly onCall?: OnGatewayCall;
	readonly deadlineMs: number;
	findDriver(name: string): GatewayDriver | undefined;
}

/** Queries every attempt that is due. One whose outcome stays unknown is queried again, at growing intervals. */
export async function settleAttempts(options: SettlingOptions): Promise<{ settled: number; open: number }> {
	const due = await options.journal.listDue(MAX_PER_RUN);
	const count = { settled: 0, open: 0 };
	const waiting = [...due];
	const work = async () => {
		for (let row = waiting.shift(); row; row = waiting.shift()) {
			const isSettled = await settleOne(options, row).catch((error: unknown) => {
				options.logger.error({ transaction: row!.id, err: error }, 'a gateway attempt could not be settled');
				return false;
			});
			count[isSettled ? 'settled' : 'open']++;
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	return count;
}

/**
 * Queries the outcome of one attempt now, whether it is due or not. Returns false if the outcome stays unknown. An
 * attempt that may still be under way is left to the daemon that sends it.
 */
export async function settleNow(options: SettlingOptions, row: AttemptRow, actor: Actor): Promise<boolean> {
	const isUnderWay = row.state === 'sent' && (row.due_at ?? 0) > options.clock.now().getTime();
	if (row.settled_at !== null || isUnderWay) return false;
	if (row.state === 'sent') return settleOne(options, row, actor);
	// The scheduled time of the next query stays as it is, however often a user requests a query.
	const driver = options.findDriver(row.gateway);
	return driver !== undefined && mayAsk(options, driver, row) && askAndSettle(options, driver, { row, actor });
}

async function settleOne(options: SettlingOptions, row: AttemptRow, actor: Actor = 'daemon'): Promise<boolean> {
	const { journal, clock } = options;
	const driver = options.findDriver(row.gateway);
	const now = clock.now().getTime();
	const isAsked = driver !== undefined && mayAsk(options, driver, row);
	// The next query is scheduled before the current one is made, so that the next run continues if the daemon dies.
	const isHopeless = (driver && !isAsked) || now - row.created_at > GIVE_UP_MS;
	await journal.markUnknown(row, isHopeless ? null : now + waitMs(row.queries));
	return isAsked && askAndSettle(options, driver, { row, actor });
}

function mayAsk({ clock }: SettlingOptions, { query, askUntilMs }: GatewayDriver, row: AttemptRow): boolean {
	const age = clock.now().getTime() - row.created_at;
	return query !== undefined && age <= (askUntilMs ?? Number.POSITIVE_INFINITY);
}

async function askAndSettle(
	options: SettlingOptions,
	driver: GatewayDriver,
	{ row, actor }: { readonly row: AttemptRow; readonly actor: Actor },
): Promise<boolean> {
	const outcome = await ask(options, driver, row);
	return outcome !== 'unknown' && options.journal.settle(row, outcome, { actor, driver });
}

/**
 * Queries the outcome of an attempt with the credentials that the attempt used. If it stays unknown, it is queried once
 * more with the credentials that have replaced them, for example because a key was renewed. The answer `absent` is
 * believed only if it came for the first credentials, because the others may belong to another contract, to which the
 * order is unknown.
 */
async function ask(options: SettlingOptions, driver: GatewayDriver, row: AttemptRow): Promise<Outcome | 'unknown'> {
	const sent = await sentCredentials(options, row);
	const seen = sent ? await askWith(options, driver, { row, credentials: sent }) : 'unknown';
	if (seen === 'absent') {
		const believedAfterMs = Math.max(options.deadlineMs, driver.absentAfterMs ?? ABSENT_AFTER_MS);
		return options.clock.now().getTime() - row.created_at >= believedAfterMs ? NEVER_ARRIVED : 'unknown';
	}
	if (seen !== 'unknown') return seen;
	const renewed = await renewedCredentials(options, driver, { row, sent });
	const again = renewed ? await askWith(options, driver, { row, credentials: renewed }) : 'unknown';
	return again === 'absent' ? 'unknown' : again;
}

async function askWith(
	{ journal, deadlineMs, logger, onCall }: SettlingOptions,
	driver: GatewayDriver,
	{ row, credentials }: { readonly row: AttemptRow; readonly credentials: Credentials },
): Promise<Outcome | 'unknown' | 'absent'> {
	const order = orderOf(row);
	const known =
		order.gatewayReference === undefined
			? undefined
			: await journal.findPayment(row.account_id, row.gateway, order.gatewayReference);
	return queryDriver({
		driver,
		order,
		accountId: row.account_id,
		credentials,
		known,
		deadlineMs,
		logger,
		onCall,
		secrets: secretsOf(driver, credentials),
		attemptId: row.id,
		idempotencyKey: row.idempotency_key,
	});
}

async function sentCredentials({ keyRing }: SettlingOptions, row: AttemptRow): Promise<Credentials | undefined> {
	const { key_id, sealed_credentials } = row;
	if (key_id === null || sealed_credentials === null) return undefined;
	return openCredentials(keyRing, sealedAttemptCredentials, { ...row, key_id });
}

/** Returns the credentials stored now under the id of the attempt, if they differ in secret fields only. */
async function renewedCredentials(
	{ credentials }: SettlingOptions,
	driver: GatewayDriver,
	{ row, sent }: { readonly row: AttemptRow; readonly sent: Credentials | undefined },
): Promise<Credentials | undefined> {
	if (row.credentials_id === null) return undefined;
	const stored = await credentials.find(row.account_id, row.credentials_id);
	if (stored?.gateway !== driver.name) return undefined;
	const changed = driver.credentialsSchema.filter(
		({ name }) => sent?.[name]?.reveal() !== stored.credentials[name]?.reveal(),
	);
	return changed.length > 0 && changed.every(({ isSecret }) => isSecret) ? stored.credentials : undefined;
}

/** Returns how long to wait before the next query: 1, 2, 4 … minutes, at most 6 hours. */
function waitMs(queries: number): number {
	return Math.min(FIRST_WAIT_MS * 2 ** Math.min(queries, 20), LAST_WAIT_MS);
}
