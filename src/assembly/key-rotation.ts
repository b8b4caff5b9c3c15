// Rotation and sweep over all accounts, written into the audit trail.

import type { AccountId } from '../database/ids.ts';
import type { Account } from '../identity/accounts.ts';
import { createRootKeyFile, openFileRootKey } from '../keys/providers/file.ts';
import { sweep } from '../vault/sweep.ts';
import type { Rooms } from './open-rooms.ts';

export interface Rotated {
	readonly purpose: string;
	readonly userId: string | null;
	readonly generation: number | null;
}

const ACCOUNTS_PER_STEP = 1000;

async function* allAccounts(rooms: Pick<Rooms, 'identity'>): AsyncGenerator<Account> {
	for (let offset = 0; ; offset += ACCOUNTS_PER_STEP) {
		const accounts = await rooms.identity.accounts.list({ limit: ACCOUNTS_PER_STEP, offset });
		yield* accounts;
		if (accounts.length < ACCOUNTS_PER_STEP) return;
	}
}

/** Commits new generations of the named purposes, for one account or for all that own cards. */
export async function rotateKeys(
	rooms: Pick<Rooms, 'identity' | 'keyRing' | 'audit' | 'actor'>,
	request: {
		readonly purposes: readonly ('data' | 'cvv' | 'drop' | 'environment' | 'root')[];
		readonly userId?: string;
		readonly newMasterKeyFile?: string;
	},
): Promise<Rotated[]> {
	const { keyRing, audit, actor, identity } = rooms;
	const rotated: Rotated[] = [];
	const note = async (row: Rotated) => {
		rotated.push(row);
		const subject = row.userId === null ? 'installation' : `account ${row.userId}`;
		await audit.record({ actor, action: 'key.rotate', subject, details: { purpose: row.purpose } });
	};
	for (const purpose of request.purposes) {
		if (purpose === 'environment') {
			await keyRing.rotateEnvironmentKey();
			await note({ purpose, userId: null, generation: null });
		} else if (purpose === 'root') {
			createRootKeyFile(request.newMasterKeyFile!);
			await keyRing.rotateEnvironmentKey(openFileRootKey(request.newMasterKeyFile!));
			await note({ purpose, userId: null, generation: null });
		} else if (purpose === 'drop') {
			await note({ purpose, userId: null, generation: (await keyRing.rotate(purpose)).generation });
		} else {
			const only = request.userId === undefined ? undefined : await identity.accounts.get(request.userId);
			for await (const account of only ? [only] : allAccounts(rooms)) {
				if (account.kind !== 'primary') continue;
				const { generation } = await keyRing.rotate(purpose, account.id);
				await note({ purpose, userId: account.userId, generation });
			}
		}
	}
	return rotated;
}

/** Moves everything older keys seal to the current ones. */
export async function sweepAll(
	rooms: Pick<Rooms, 'database' | 'identity' | 'keyRing' | 'audit' | 'actor'>,
	onAccount?: (progress: { userId: string; pages: number; cvvs: number }) => void,
): Promise<{ pages: number; cvvs: number }> {
	const total = { pages: 0, cvvs: 0 };
	for await (const account of allAccounts(rooms)) {
		let last = { pages: 0, cvvs: 0 };
		for await (const progress of sweep(rooms, [account.id as AccountId])) last = progress;
		total.pages += last.pages;
		total.cvvs += last.cvvs;
		if (last.pages + last.cvvs > 0) onAccount?.({ userId: account.userId, ...last });
	}
	const { actor } = rooms;
	await rooms.audit.record({ actor, action: 'key.sweep', subject: 'installation', details: total });
	return total;
}
