import type { Knex } from 'knex';
import { deleteRows, firstRow } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Seal } from '../../../base/keys/rows/row-seals.ts';

export interface PortalSessionRow extends Seal {
	readonly id: string;
	readonly hash: string;
	readonly user_id: number;
	readonly account_id: AccountId | null;
	readonly user_version: number;
	/** `password` until the second factor is given, then `open`; `proven` and `provider` for who came by a provider. */
	readonly kind: 'password' | 'open' | 'proven' | 'provider';
	readonly has_second_factor: boolean | number;
	readonly created_at: number;
	readonly ends_at: number;
	readonly seen_at: number;
	readonly address: string;
	readonly agent: string;
	readonly challenge: string | null;
	readonly challenge_ends_at: number | null;
	readonly provider: string | null;
	/** A hash of the name of the session at the provider. */
	readonly provider_session: string | null;
}

/** Selects sessions of a user: only one, all but one, or those by a provider. Without any of these, all are selected. */
export interface SessionChoice {
	readonly only?: string;
	readonly except?: string;
	/** Only those of people who came by this provider. */
	readonly by?: string;
}

export function sessionStore(knex: Knex) {
	const sessions = () => knex<PortalSessionRow>('portal_sessions');
	return {
		async insert(row: PortalSessionRow): Promise<void> {
			await sessions().insert(row as never);
		},
		async findByHash(hash: string): Promise<PortalSessionRow | undefined> {
			return firstRow(sessions().where({ hash }));
		},
		async findById(id: string): Promise<PortalSessionRow | undefined> {
			return firstRow(sessions().where({ id }));
		},
		async listByProvider(hash: string): Promise<PortalSessionRow[]> {
			return sessions().where({ provider_session: hash }).limit(100);
		},
		async listOf(userId: number): Promise<PortalSessionRow[]> {
			return sessions().where({ user_id: userId }).orderBy('id', 'desc').limit(100);
		},
		async see(id: string, at: number, address: string): Promise<void> {
			await sessions().where({ id }).update({ seen_at: at, address });
		},
		async end(userId: number, { only, except, by }: SessionChoice = {}): Promise<PortalSessionRow[]> {
			const query = sessions().where({ user_id: userId });
			if (only !== undefined) void query.andWhere({ id: only });
			if (except !== undefined) void query.whereNot({ id: except });
			if (by !== undefined) void query.andWhere({ provider: by });
			return deleteRows(knex, query);
		},
		async putChallenge(id: string, challenge: string, endsAt: number): Promise<void> {
			await sessions().where({ id }).update({ challenge, challenge_ends_at: endsAt });
		},
		/** Removes a challenge when it is used, so that it works once; returns false if it was used before or has expired. */
		async takeChallenge(id: string, challenge: string, now: number): Promise<boolean> {
			const changed = await sessions()
				.where({ id, challenge })
				.where('challenge_ends_at', '>', now)
				.update({ challenge: null, challenge_ends_at: null });
			return changed === 1;
		},
		async purge(endedBefore: number, unseenSince: number): Promise<number> {
			return sessions().where('ends_at', '<', endedBefore).orWhere('seen_at', '<', unseenSince).delete();
		},
	};
}

/** The means by which somebody tried to log in. */
export type LoginWay = 'password' | 'app' | 'passkey' | 'recovery' | 'link' | 'provider';
export type LoginOutcome = 'in' | 'wrong' | 'locked' | 'blocked';

interface PortalLoginRow {
	readonly id: number;
	readonly user_id: number;
	readonly account_id: AccountId | null;
	readonly at: number;
	readonly address: string;
	readonly agent: string;
	readonly way: LoginWay;
	readonly result: LoginOutcome;
}

export function loginStore(knex: Knex) {
	return {
		async insert(row: Omit<PortalLoginRow, 'id'>): Promise<void> {
			await knex('portal_logins').insert(row);
		},
		async listOf(userId: number, limit: number, before?: number): Promise<PortalLoginRow[]> {
			const query = knex<PortalLoginRow>('portal_logins').where({ user_id: userId });
			if (before !== undefined) query.andWhere('id', '<', before);
			return query.orderBy('id', 'desc').limit(limit);
		},
		async removeBefore(at: number): Promise<number> {
			return knex('portal_logins').where('at', '<', at).delete();
		},
	};
}

export interface PortalLinkRow extends Seal {
	readonly hash: string;
	readonly account_id: AccountId | null;
	readonly user_id: number;
	readonly user_version: number;
	readonly created_at: number;
	readonly expires_at: number;
}

export function linkStore(knex: Knex) {
	const links = () => knex<PortalLinkRow>('portal_links');
	return {
		async insert(row: PortalLinkRow): Promise<void> {
			await links().insert(row as never);
		},
		async findByHash(hash: string): Promise<PortalLinkRow | undefined> {
			return links().where({ hash }).first();
		},
		/** Removes the links of a user, because a new link replaces the earlier ones, and returns their rows. */
		async removeOf(userId: number): Promise<PortalLinkRow[]> {
			return deleteRows(knex, links().where({ user_id: userId }));
		},
		/** Removes a link when it is used, so that it works once; returns false if it had been used already. */
		async take(hash: string): Promise<boolean> {
			return (await links().where({ hash }).delete()) === 1;
		},
		async removeExpired(before: number): Promise<number> {
			return links().where('expires_at', '<', before).delete();
		},
	};
}
