import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../database/ids.ts';

export interface PortalLinkRow {
	readonly hash: string;
	readonly account_id: AccountId | null;
	readonly user_id: number;
	readonly user_version: number;
	readonly created_at: number;
	readonly expires_at: number;
	readonly seal_key: KeyId;
	readonly seal: Buffer;
}

/** Each method is a single statement over `portal_links`. */
export function linkStore(knex: Knex) {
	const links = () => knex<PortalLinkRow>('portal_links');
	return {
		async insert(row: PortalLinkRow): Promise<void> {
			await links().insert(row as never);
		},
		async findByHash(hash: string): Promise<PortalLinkRow | undefined> {
			return links().where({ hash }).first();
		},
		/** Removes the links of a user, because each is replaced by the next. */
		async removeOf(userId: number): Promise<number> {
			return links().where({ user_id: userId }).delete();
		},
		/** Takes a link away, so that it works once; returns whether it was still there. */
		async take(hash: string): Promise<boolean> {
			return (await links().where({ hash }).delete()) === 1;
		},
		async removeExpired(before: number): Promise<number> {
			return links().where('expires_at', '<', before).delete();
		},
	};
}
