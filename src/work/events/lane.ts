// Delivers what waits for one endpoint: claims some events together, sends them, and notes together how that ended.

import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import { type Why, why, whyColumns } from '../../base/failures.ts';
import type { Logger } from '../../base/log/log.ts';
import { isMailLimit } from '../../base/mail/mail-limits.ts';
import type { MailQueue } from '../../base/mail/mail-queue.ts';
import type { OutboundClient } from '../../base/outbound/http-client.ts';
import type { Audit } from '../../trail/audit.ts';
import { type CallEnd, callEndpoint } from './call-endpoint.ts';
import { type ClaimedDelivery, deliveryStore, noteTries, type TriedDelivery } from './delivery-store.ts';
import { type EndpointRow, endpointStore } from './endpoint-store.ts';
import type { EventEndpoints } from './endpoints.ts';
import { disabledMail, eventMail } from './event-letter.ts';
import { waitAfter } from './retry-times.ts';

export interface EventMails {
	readonly queue: Pick<MailQueue, 'isOpen' | 'prepare' | 'wake'>;
	/** The sender's address from the settings. */
	readonly from: string | undefined;
}

/** How a try to tell somebody of an event ended: it arrived, is repeated, or was given up. */
export const DELIVERY_OUTCOMES = ['delivered', 'retried', 'failed'] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];
const OUTCOMES = { sent: 'delivered', waiting: 'retried', failed: 'failed' } as const satisfies Record<
	TriedDelivery['state'],
	DeliveryOutcome
>;

export interface LaneParts {
	readonly database: Database;
	readonly endpoints: Pick<EventEndpoints, 'findRow' | 'findTarget' | 'list'>;
	readonly outbound: Pick<OutboundClient, 'call'>;
	readonly mails: EventMails;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
	readonly logger: Pick<Logger, 'warn' | 'info'>;
	/** Returns a number from 0 to 1. */
	readonly random?: () => number;
	/** Counts tries that have ended in the same way. */
	readonly onTried?: (outcome: DeliveryOutcome, count: number) => void;
}

/** So many calls to one receiver are under way at the same time. */
const AT_ONCE = 8;
/** So many endpoints are called at the same time. */
export const MAX_LANES = 32;
/** So many calls are under way at the same time. */
export const MOST_CALLS = MAX_LANES * AT_ONCE;
/** A lane begins with few events, and takes more as long as all of them arrive. */
const FIRST_BATCH = AT_ONCE;
const LARGEST_BATCH = 400;
/** Calls of a batch begin within this time. Together with the deadline of a call it is shorter than a claim. */
const BATCH_MS = 20_000;
const CLAIM_MS = 60_000;
const HOUR_MS = 3_600_000;
const MAIL_LIFE_MS = 24 * HOUR_MS;
/** An endpoint of which no call was successful for this long is disabled. */
const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS;
const SILENT = why('nothing was received for five days', 'receiver-silent', {
	days: DISABLE_AFTER_MS / (24 * HOUR_MS),
});

/** Delivers until nothing is due any more or something was not received. */
export async function runLane(parts: LaneParts, endpointId: string, signal: AbortSignal): Promise<void> {
	for (let size = FIRST_BATCH; !signal.aborted; size = Math.min(size * 2, LARGEST_BATCH)) {
		// The row is read again for each batch, because the endpoint may be changed or removed at any time.
		const row = await parts.endpoints.findRow(endpointId);
		if (!row || row.disabled_at !== null) return;
		const now = parts.clock.now().getTime();
		if (row.rest_until !== null && row.rest_until > now) return;
		const claim = randomUUID();
		const claimed = await deliveryStore(parts.database).claim(endpointId, {
			...{ claim, now, until: now + CLAIM_MS, limit: size },
		});
		if (claimed.length === 0) return;
		const goesOn =
			row.kind === 'mail'
				? await mailAll(parts, row, claim, claimed)
				: await callAll(parts, row, { claim, claimed, signal });
		if (!goesOn) return;
	}
}

/** Calls the receiver for each event. Returns whether all were received. */
async function callAll(
	parts: LaneParts,
	row: EndpointRow,
	{ claim, claimed, signal }: { claim: string; claimed: readonly ClaimedDelivery[]; signal: AbortSignal },
): Promise<boolean> {
	const { database, clock, random = Math.random } = parts;
	const target = await parts.endpoints.findTarget(row);
	if (!target) return false;
	const waiting = [...claimed];
	const tried: TriedDelivery[] = [];
	const beganAt = performance.now();
	let isOver = false;
	let gone: CallEnd | undefined;
	let askedMs: number | undefined;
	const work = async () => {
		while (!isOver && !signal.aborted && performance.now() - beganAt < BATCH_MS) {
			const next = waiting.shift();
			if (next === undefined) return;
			const end = await callEndpoint(parts, target, { id: next.event_id, body: next.body });
			isOver ||= end.isDown || end.outcome === 'gone';
			if (end.outcome === 'gone') gone = end;
			if (end.askedMs !== undefined) askedMs = Math.max(askedMs ?? 0, end.askedMs);
			if (end.outcome === 'not-sent') waiting.push(next);
			else tried.push(outcomeOf(next, end, clock.now().getTime(), random()));
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, work));
	const now = clock.now().getTime();
	const isFailing = tried.some(({ state }) => state !== 'sent');
	const isReceiving = tried.some(({ state }) => state === 'sent');
	const isLong = isFailing && !isReceiving && row.failing_since !== null && now - row.failing_since >= DISABLE_AFTER_MS;
	const over = gone?.failure ?? (isLong ? SILENT : undefined);
	const isDisabled = await transact(database, async (transaction) => {
		await noteTries(transaction, claim, tried, now);
		const store = endpointStore(transaction);
		if (isReceiving) await store.noteSuccess(row.id);
		else if (isFailing) await store.noteFailure(row.id, now);
		if (askedMs !== undefined) await store.rest(row.id, now + askedMs);
		return (
			over !== undefined && (await disableEndpoint({ database, audit: parts.audit }, transaction, { row, over, now }))
		);
	});
	count(parts, tried);
	await deliveryStore(database).release(
		claim,
		waiting.map(({ id }) => id),
	);
	if (isDisabled) await tellDisabled(parts, row, over!.reason);
	return !isFailing && waiting.length === 0;
}

function count({ onTried }: Pick<LaneParts, 'onTried'>, tried: readonly Pick<TriedDelivery, 'state'>[]): void {
	for (const [state, some] of Map.groupBy(tried, (each) => each.state)) onTried?.(OUTCOMES[state], some.length);
}

function outcomeOf({ id, tries }: ClaimedDelivery, end: CallEnd, now: number, random: number): TriedDelivery {
	const tried = { id, tries: tries + 1, status: end.status, ...whyColumns(end.failure), next_at: now };
	if (end.outcome === 'sent') return { ...tried, state: 'sent' };
	const wait = waitAfter(tries + 1, end.askedMs, random);
	return wait === undefined ? { ...tried, state: 'failed' } : { ...tried, state: 'waiting', next_at: now + wait };
}

/** Puts the mails of events into the queue, in the transaction that ends their deliveries. */
async function mailAll(
	{ database, mails, clock, logger, onTried }: LaneParts,
	row: EndpointRow,
	claim: string,
	claimed: readonly ClaimedDelivery[],
): Promise<boolean> {
	const { queue, from } = mails;
	const now = clock.now().getTime();
	if (!queue.isOpen || from === undefined) {
		logger.warn({ endpoint: row.id, events: claimed.length }, 'no mail tells of events, because no mail server is set');
		const columns = whyColumns(why('no mail server is set', 'mail-not-set-up'));
		const ended = claimed.map(({ id, tries }) => ({
			id,
			tries,
			state: 'failed' as const,
			status: null,
			...columns,
			next_at: now,
		}));
		await transact(database, (transaction) => noteTries(transaction, claim, ended, now));
		count({ onTried }, ended);
		return true;
	}
	const put = await queue.prepare();
	let isLimited = false;
	for (const { id, event_id, tries, body } of claimed) {
		const tried = { id, tries: tries + 1, status: null, ...whyColumns(null), next_at: now };
		const mail = {
			accountId: row.account_id,
			ownerId: row.account_id,
			about: `event ${event_id}`,
			mail: eventMail(row.target, from, body),
			giveUpAt: new Date(now + MAIL_LIFE_MS),
		};
		try {
			await transact(database, async (transaction) => {
				await put(mail, transaction);
				await noteTries(transaction, claim, [{ ...tried, state: 'sent' }], now);
			});
			count({ onTried }, [{ state: 'sent' }]);
		} catch (error) {
			if (!isMailLimit(error)) throw error;
			// The limit is per day, so the mail waits for a while and counts as no try.
			const waits = whyColumns(why('too many mails', 'mail-limit-reached'));
			const later = { ...tried, tries, state: 'waiting' as const, ...waits, next_at: now + HOUR_MS };
			await transact(database, (transaction) => noteTries(transaction, claim, [later], now));
			count({ onTried }, [later]);
			isLimited = true;
		}
	}
	queue.wake();
	return !isLimited;
}

/** Tells the mailboxes of the account that an endpoint was disabled, and the log in any case. */
async function tellDisabled(
	{ database, endpoints, mails, clock, logger }: LaneParts,
	row: EndpointRow,
	reason: string,
): Promise<void> {
	logger.warn({ endpoint: row.id, name: row.name, reason }, 'an endpoint of events was disabled');
	const { queue, from } = mails;
	if (!queue.isOpen || from === undefined) return;
	const boxes = (await endpoints.list(row.account_id)).filter(
		({ kind, state }) => kind === 'mail' && state !== 'disabled',
	);
	const put = await queue.prepare();
	for (const { target } of boxes) {
		const mail = {
			accountId: row.account_id,
			ownerId: row.account_id,
			about: `event-endpoint ${row.id}`,
			mail: disabledMail(target, from, { name: row.name, reason }),
			giveUpAt: new Date(clock.now().getTime() + MAIL_LIFE_MS),
		};
		await transact(database, (transaction) => put(mail, transaction)).catch((error) => {
			if (!isMailLimit(error)) throw error;
		});
	}
	queue.wake();
}

/**
 * Disables an endpoint and gives up what waits for it, in a transaction. Returns false if it was disabled before.
 * `event endpoint put` enables it again, and `event replay` tells it what it has missed.
 */
async function disableEndpoint(
	{ database, audit }: { database: Parameters<typeof deliveryStore>[0]; audit: Pick<Audit, 'record'> },
	transaction: Knex.Transaction,
	{ row, over, now }: { row: EndpointRow; over: Why; now: number },
): Promise<boolean> {
	if (!(await endpointStore(transaction).disable(row.id, now, whyColumns(over)))) return false;
	const { reason } = over;
	const given = why(`the endpoint is disabled: ${reason}`, 'endpoint-disabled');
	await deliveryStore(database).giveUp(transaction, row.id, given, now);
	const details = { name: row.name, reason };
	const entry = { actor: 'daemon', action: 'event-endpoint.disable', subject: `endpoint ${row.id}`, details };
	await audit.record({ ...entry, account: { within: row.account_id } }, transaction);
	return true;
}
