// Decides which of several calls with the same idempotency key is carried out: the call that claims the key. The others
// wait until its answer is kept (shapes §1).

import { type Hash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { type IdempotencyRow, idempotencyStore } from './idempotency-store.ts';
import { findOutcome, outcomeColumns } from './outcome.ts';
import { keyHash, requestHash } from './request-hash.ts';

const KEPT_MS = 24 * 3_600_000;
/** The duration of a claim, which is longer than any call may take. If a daemon dies, its claim stays for this long. */
const CLAIM_MS = 60_000;
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;
const KEY = /^[\x21-\x7e]{1,255}$/;

export interface ClaimingCall {
	readonly key: string;
	readonly body: Hash;
	/**
	 * True for a streamed call. If another call has the claim and has noted what it began, a streamed call gets the row
	 * of that call at once, without waiting for the answer.
	 */
	readonly isStreamed?: boolean;
}

export function idempotencyClaims(parts: { clock: Clock; keyRing: KeyRing; database: Database }) {
	const { database, keyRing, clock } = parts;
	const store = idempotencyStore(database);
	/** The claims whose calls have ended, each with the time when it runs out anyway. */
	const ended = new Map<string, number>();
	return {
		/** Notes that the call of a claim has ended although its row does not say so, because the database was away. */
		end({ claim, claimed_until }: IdempotencyRow): void {
			const now = clock.now().getTime();
			for (const [each, until] of ended) if (until <= now) ended.delete(each);
			ended.set(claim, claimed_until);
		},
		/** Returns the row that is stored for this key of the account, even if the key was used with another request. */
		async find({ principal }: FastifyRequest, key: string): Promise<IdempotencyRow | undefined> {
			const keyHashes = (await keyRing.all('credential')).map((each) => keyHash(each, key));
			const row = await store.find(principal.accountId, keyHashes);
			return row !== undefined && row.expires_at > clock.now().getTime() ? row : undefined;
		},
		/** Returns the hash that recognises a repeated request, under the same secret key as the row's `key_hash`. */
		async hashFor({ key_hash }: IdempotencyRow, request: FastifyRequest, { key, body }: ClaimingCall): Promise<string> {
			const sealing = (await keyRing.all('credential')).find((each) => keyHash(each, key) === key_hash);
			if (!sealing) throw new Error('internal error: the row of a call is under no key that is known');
			return requestHash(sealing, request, body.digest('hex'));
		},
		/**
		 * Claims the key for a call, whose body must have been read completely, and returns the row of the key. If another
		 * call has the claim, this call waits for the answer of that call. If the returned row holds no answer, the claim
		 * belongs to this call, and the outcome in the row says what an earlier attempt has done without being answered.
		 * @throws ServiceError if the key was used with another request, if another call has the claim for too long, or if
		 * an earlier attempt may have reached a third party
		 */
		async claim(request: FastifyRequest, { key, body, isStreamed }: ClaimingCall): Promise<IdempotencyRow> {
			const bodyHash = body.digest('hex');
			const accountId = request.principal.accountId;
			const hashes = (await keyRing.all('credential')).map((each) => ({
				key: keyHash(each, key),
				request: requestHash(each, request, bodyHash),
			}));
			const keyHashes = hashes.map((each) => each.key);
			const deadline = Date.now() + CLAIM_MS;
			for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LAST_LOOK_MS)) {
				const now = clock.now().getTime();
				const fresh: IdempotencyRow = {
					account_id: accountId,
					key_hash: hashes[0].key,
					request_hash: hashes[0].request,
					claim: randomUUID(),
					claimed_until: now + CLAIM_MS,
					key_id: null,
					sealed: null,
					expires_at: now + KEPT_MS,
					...outcomeColumns(undefined),
				};
				const row = await store.find(accountId, keyHashes);
				if (!row) {
					if (await store.insert(fresh)) return fresh;
					continue;
				}
				if (row.expires_at <= now) {
					if (await store.replace(row, fresh)) return fresh;
					continue;
				}
				if (!hashes.some((each) => each.key === row.key_hash && each.request === row.request_hash)) {
					throw badInput('Idempotency-Key', 'was used before with another request');
				}
				if (row.sealed !== null || (isStreamed && row.outcome_kind !== null)) return row;
				if (row.claimed_until <= now || ended.has(row.claim)) {
					// An earlier attempt may have reached a third party, but its answer was lost. The third party is
					// not called again, because it could act twice, so this call ends with an error.
					if (row.outcome_kind === 'sent') throw new ServiceError('request-timed-out');
					const next = { ...fresh, ...outcomeColumns(findOutcome(row)) };
					if (await store.replace(row, next)) return next;
				}
				if (Date.now() > deadline) throw new ServiceError('request-timed-out');
				await sleep(waitMs);
			}
		},
	};
}

/**
 * Returns the idempotency key of a call, or undefined if it has none.
 * @throws ServiceError if the header is not a valid key
 */
export function findIdempotencyKey({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
	const key = headers['idempotency-key'];
	if (key === undefined) return undefined;
	if (typeof key === 'string' && KEY.test(key)) return key;
	throw badInput('Idempotency-Key', 'expected 1 to 255 visible ASCII characters');
}
