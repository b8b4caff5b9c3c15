// What tests of a failover of PostgreSQL need: a daemon on a primary and its standby, and callers that store cards
// meanwhile.

import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { cardJson } from './card-calls.ts';
import { type Installation, openInstallation, type RunningDaemon } from './daemon.ts';
import { type PostgresPair, startPostgresPair } from './postgres-pair.ts';
import { until } from './until.ts';

/** An answer to a call that stores a card. */
export interface Stored {
	/** The time at which the answer arrived, as `performance.now()` has it. */
	readonly at: number;
	/** 0 if the daemon closed the connection without an answer. */
	readonly status: number;
	readonly token: string | undefined;
	readonly retryAfter: string | null;
}

export interface Failover {
	readonly pair: PostgresPair;
	readonly installation: Installation;
	readonly daemon: RunningDaemon;
}

/** Starts two servers, and a daemon that is told of both. */
export async function startFailover(
	t: ExecutionContext,
	variables: Readonly<Record<string, string>> = {},
	prepare: (pair: PostgresPair) => unknown = () => {},
): Promise<Failover> {
	const pair = await startPostgresPair(t);
	await prepare(pair);
	const installation = await openInstallation(t, { variables: { TOKENDROP_DATABASE_URL: pair.url, ...variables } });
	await installation.json('migrate');
	return { pair, installation, daemon: await installation.start() };
}

export function call(
	{ installation: { demo }, daemon: { baseUrl } }: Pick<Failover, 'installation' | 'daemon'>,
	path: string,
	options: RequestInit = {},
): Promise<Response> {
	const headers = { 'x-service-api-key': demo.apiKey, accept: 'application/json', ...options.headers };
	return fetch(`${baseUrl}${path}`, { ...options, headers });
}

/** Stores a card, with the headers that are given besides. */
export async function storeOne(
	failover: Pick<Failover, 'installation' | 'daemon'>,
	headers: Readonly<Record<string, string>> = {},
): Promise<Stored> {
	try {
		const answer = await call(failover, '/api/payments/paycard', {
			method: 'POST',
			headers: { 'content-type': 'application/json', ...headers },
			body: cardJson(),
		});
		await answer.text();
		const token = answer.status === 201 ? answer.headers.get('location')?.slice(-32) : undefined;
		return { at: performance.now(), status: answer.status, token, retryAfter: answer.headers.get('retry-after') };
	} catch {
		return { at: performance.now(), status: 0, token: undefined, retryAfter: null };
	}
}

/** Stores cards by several callers at once, one after the other each, until `stop` is called. */
export function storeCards(
	failover: Pick<Failover, 'installation' | 'daemon'>,
	callers = 4,
): { readonly answers: Stored[]; stop(): Promise<void> } {
	const answers: Stored[] = [];
	let isStopped = false;
	const store = async () => {
		while (!isStopped) {
			answers.push(await storeOne(failover));
			await sleep(2);
		}
	};
	const storing = Array.from({ length: callers }, store);
	return {
		answers,
		async stop() {
			isStopped = true;
			await Promise.all(storing);
		},
	};
}

/** Waits until so many more cards were stored. */
export async function moreStored(answers: readonly Stored[], count: number): Promise<void> {
	const stored = () => answers.filter(({ status }) => status === 201).length;
	const before = stored();
	await until('further cards are stored', () => stored() >= before + count);
}

/** Returns those of the tokens that lead to no card any more. */
export async function lostOf(
	failover: Pick<Failover, 'installation' | 'daemon'>,
	answers: readonly Stored[],
): Promise<string[]> {
	const lost: string[] = [];
	for (const { token } of answers) {
		if (token === undefined) continue;
		const answer = await call(failover, `/api/payments/paycard/${token}/meta`);
		const text = await answer.text();
		// A token that leads nowhere is answered as one that somebody else has.
		if (answer.status === 401 && text.includes('-1003')) lost.push(token);
		else if (answer.status !== 200 || !text.includes('"LastDigits":"1111"'))
			throw new Error(`${answer.status} ${text}`);
	}
	return lost;
}

/** Returns how long after a moment the first card was stored. */
export function gapAfter(answers: readonly Stored[], moment: number): number {
	const first = answers.find(({ at, status }) => at > moment && status === 201);
	return first ? first.at - moment : Number.POSITIVE_INFINITY;
}
