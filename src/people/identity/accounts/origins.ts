// Manages the origins of accounts: the merchants' pages that may show our hosted pages in a frame, receive their
// messages and make calls from a browser.

import type { Clock } from '../../../base/clock.ts';
import { isUniqueViolation } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import type { RowSeals } from '../../../base/keys/rows/row-seals.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import { sealedOrigins } from '../sealed-rows.ts';
import type { Accounts } from './accounts.ts';
import { findOrigin, isOwnMachine, OWN_MACHINE_SOURCES, parseOrigin } from './origin-names.ts';
import { type OriginRow, originStore } from './origin-store.ts';

/** An account has so many origins, because its pages name all in a header, whose length is limited. */
const MAX_ORIGINS = 50;

export type Origins = ReturnType<typeof openOrigins>;

export function openOrigins(options: {
	readonly database: Database;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
	readonly seals: RowSeals;
	readonly accounts: Pick<Accounts, 'get'>;
	readonly environment: 'sandbox' | 'production';
}) {
	const { database, audit, clock, seals, accounts, environment } = options;
	const store = originStore(database.knex);
	const isSandbox = environment === 'sandbox';
	/** Reads rows, and leaves out those that were tampered with. */
	const intact = (read: () => Promise<OriginRow[]>) => seals.list(sealedOrigins, read);

	const origins = {
		/** Returns the origins of an account in alphabetical order. Those of its primary account are among them. */
		async list(accountId: AccountId): Promise<readonly string[]> {
			return [...new Set((await intact(() => store.list(accountId))).map(({ origin }) => origin))];
		},
		/**
		 * Returns the sources for `frame-ancestors` in a page of the account; in the sandbox, `localhost` and `127.0.0.1`
		 * are among them.
		 */
		async frameAncestors(accountId: AccountId): Promise<readonly string[]> {
			return [...(await origins.list(accountId)), ...(isSandbox ? OWN_MACHINE_SOURCES : [])];
		},
		/**
		 * Tells whether pages of an origin may embed our pages and make calls for the account. In the sandbox, pages from
		 * `localhost`, `127.0.0.1` and `[::1]` always may.
		 */
		async allows(accountId: AccountId, text: string): Promise<boolean> {
			if (isSandbox && isOwnMachine(text)) return true;
			const origin = findOrigin(text);
			return origin !== undefined && (await origins.list(accountId)).includes(origin);
		},
		/**
		 * Tells whether `allows` is true for at least one account, for a request that does not name its account, such as
		 * the preflight of a browser. The call that follows the preflight must be checked with `allows`.
		 */
		async allowsSome(text: string): Promise<boolean> {
			if (isSandbox && isOwnMachine(text)) return true;
			const origin = findOrigin(text);
			return origin !== undefined && (await intact(() => store.listActive(origin))).length > 0;
		},
		/**
		 * Registers an origin and returns it in the form of browsers.
		 * @throws ServiceError if the account has it already, has too many, or the text is not an origin
		 */
		async add(userId: string, text: string, actor: Actor): Promise<string> {
			const origin = parseOrigin(text);
			const { id } = await accounts.get(userId);
			const row = { account_id: id, origin, created_at: clock.now().getTime() };
			try {
				await seals.transact(database, async (transaction, sealer) => {
					const within = originStore(transaction);
					if ((await within.count(id)) >= MAX_ORIGINS)
						throw badInput('origin', `an account has at most ${MAX_ORIGINS}`, told('at-most', { limit: MAX_ORIGINS }));
					await within.insert(await sealer.renew(transaction, sealedOrigins, row));
					const entry = { actor, action: 'origin.add', subject: `account ${userId}`, details: { origin } };
					await audit.record(entry, transaction);
				});
			} catch (cause) {
				if (!isUniqueViolation(cause)) throw cause;
				throw badInput('origin', 'the account has this origin already', told('already-there'), cause);
			}
			return origin;
		},
		/** @throws ServiceError if the account itself does not have it */
		async remove(userId: string, text: string, actor: Actor): Promise<string> {
			const origin = parseOrigin(text);
			const { id } = await accounts.get(userId);
			await seals.transact(database, async (transaction, sealer) => {
				const row = await originStore(transaction).remove(id, origin);
				if (!row) throw badInput('origin', 'the account has no such origin', told('not-there'));
				await sealer.end(transaction, sealedOrigins, row);
				const entry = { actor, action: 'origin.remove', subject: `account ${userId}`, details: { origin } };
				await audit.record(entry, transaction);
			});
			return origin;
		},
	};
	return origins;
}
