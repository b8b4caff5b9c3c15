// Runs one call of a driver: ends it at the deadline, treats every error as `unknown`, and removes secrets from the
// outcome.

import type { AccountId } from '../../../base/database/ids.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { CallContext, Credentials, GatewayDriver, KnownPayment } from './driver.ts';
import type { GatewayCard, Order, Outcome } from './operation.ts';
import { scrubOutcome } from './scrub.ts';

/** Describes a call that ended, for metrics. `result` is the result code, `unknown` or `absent`. */
export type OnGatewayCall = (seen: {
	readonly driver: string;
	readonly operation: string;
	readonly result: string;
	readonly seconds: number;
}) => void;

export interface DriverCall {
	readonly driver: GatewayDriver;
	readonly order: Order;
	readonly accountId: AccountId;
	readonly credentials: Credentials;
	readonly secrets: readonly string[];
	readonly card?: GatewayCard;
	readonly known?: KnownPayment;
	readonly attemptId: string;
	readonly idempotencyKey: string;
	readonly deadlineMs: number;
	readonly logger: Logger;
	readonly onCall?: OnGatewayCall;
}

/** Sends an order. If anything fails once sending may have begun, the result is `unknown`. */
export async function callDriver(call: DriverCall): Promise<Outcome | 'unknown'> {
	const { driver, order, card } = call;
	return withinDeadline(call, order.operation, (context) => driver.send(order, { ...context, card }));
}

/** Queries the outcome of an order. If the driver cannot query, the result is `unknown`. */
export async function queryDriver(call: Omit<DriverCall, 'card'>): Promise<Outcome | 'unknown' | 'absent'> {
	const { driver, order } = call;
	if (!driver.query) return 'unknown';
	return withinDeadline(call, 'query', (context) => driver.query!(order, context));
}

async function withinDeadline<T extends string>(
	call: DriverCall,
	operation: string,
	run: (context: CallContext) => Promise<Outcome | T>,
): Promise<Outcome | T | 'unknown'> {
	const { driver, deadlineMs, attemptId, logger } = call;
	const started = performance.now();
	const aborting = new AbortController();
	const { promise: late, resolve: giveUp } = Promise.withResolvers<'unknown'>();
	const timer = setTimeout(() => {
		giveUp('unknown');
		aborting.abort();
	}, deadlineMs);
	const context: CallContext = {
		attemptId,
		idempotencyKey: call.idempotencyKey,
		accountId: call.accountId,
		credentials: call.credentials,
		known: call.known,
		deadlineAt: started + deadlineMs,
		signal: aborting.signal,
	};
	// A provider's library may quote in an error what was sent to it, so only the error's name is reported.
	const answered = run(context).catch((error: unknown) => {
		const name = error instanceof Error ? error.name : typeof error;
		logger.warn({ driver: driver.name, operation, transaction: attemptId, error: name }, 'a gateway call failed');
		return 'unknown' as const;
	});
	const seen = await Promise.race([answered, late]);
	clearTimeout(timer);
	const seconds = (performance.now() - started) / 1000;
	const result = typeof seen === 'string' ? seen : seen.result;
	call.onCall?.({ driver: driver.name, operation, result, seconds });
	return typeof seen === 'string' ? seen : scrubOutcome(seen, { card: call.card, secrets: call.secrets });
}
