import type { Knex } from 'knex';
import { deleteRows } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';

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
