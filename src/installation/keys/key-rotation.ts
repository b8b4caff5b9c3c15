// Rotates the keys of an installation and sweeps, which means moving everything that older keys seal to the current
// ones. Both are recorded in the audit trail.

import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { Alongside, KeyRing } from '../../base/keys/key-ring.ts';
import { createRootKeyFile, openFileRootKey } from '../../base/keys/providers/file.ts';
import { resealShape } from '../../base/keys/rows/reseal-rows.ts';
import type { SealableRow } from '../../base/keys/rows/row-seals-store.ts';
import { resealRows } from '../../base/keys/rows/sealed-rows.ts';
import type { Account } from '../../people/identity/accounts/accounts.ts';
import type { Identity } from '../../people/identity/identity.ts';
import type { Audit } from '../../trail/audit.ts';
import type { AuditDetails } from '../../trail/entry.ts';
import { sweep } from '../../vault/pages/sweep.ts';
import { MAX_TOKEN_GENERATIONS } from '../../vault/tokens/token.ts';
import { rewrapFiles } from '../../work/drops/rewrap-files.ts';
import { sealedSecrets } from './sealed-secrets.ts';
import { besideOf, sealedTables } from './sealed-tables.ts';

/** The purposes whose keys belong to the whole installation. All of them are rotated alike. */
const SHARED = ['token', 'drop', 'secret', 'seal', 'credential', 'audit'] as const;

export type RotatedPurpose = 'data' | 'cvv' | 'fingerprint' | (typeof SHARED)[number] | 'environment' | 'root';

export interface Rotated {
	readonly purpose: string;
	readonly userId: string | null;
	readonly generation: number | null;
}

const ACCOUNTS_PER_STEP = 1000;

async function* allAccounts({ identity }: { identity: Identity }): AsyncGenerator<Account> {
	for (let offset = 0; ; offset += ACCOUNTS_PER_STEP) {
		const accounts = await identity.accounts.list({ limit: ACCOUNTS_PER_STEP, offset });
		yield* accounts;
		if (accounts.length < ACCOUNTS_PER_STEP) return;
	}
}

/**
 * Creates new generations of the keys for the given purposes, for one account or for all that own cards, each in one
 * transaction with its audit entry.
 */
export async function rotateKeys(
	parts: { keyRing: KeyRing; audit: Audit; identity: Identity; actor: string },
	request: {
		readonly purposes: readonly RotatedPurpose[];
		readonly userId?: string;
		readonly newMasterKeyFile?: string;
		/** The reason, if the rotation was not requested by a person. */
		readonly why?: 'age' | 'seals';
	},
): Promise<Rotated[]> {
	const { keyRing, audit, actor, identity } = parts;
	const rotated: Rotated[] = [];
	const why: AuditDetails = request.why === undefined ? {} : { why: request.why };
	const noting = async (
		{ purpose, userId }: Omit<Rotated, 'generation'>,
		rotate: (alongside: Alongside) => Promise<unknown>,
	) => {
		let committed: number | null = null;
		await rotate(async (transaction, generation) => {
			const subject = userId === null ? 'installation' : `account ${userId}`;
			await audit.record(
				{ actor, action: 'key.rotate', subject, details: { purpose, generation, ...why } },
				transaction,
			);
			committed = generation;
		});
		rotated.push({ purpose, userId, generation: committed });
	};
	for (const purpose of request.purposes) {
		const ofAll = { purpose, userId: null };
		if (purpose === 'environment') {
			await noting(ofAll, (alongside) => keyRing.rotateEnvironmentKey(undefined, alongside));
		} else if (purpose === 'root') {
			await createRootKeyFile(request.newMasterKeyFile!);
			const root = openFileRootKey(request.newMasterKeyFile!);
			await noting(ofAll, (alongside) => keyRing.rotateEnvironmentKey(root, alongside));
		} else if (isShared(purpose)) {
			if (purpose === 'token') await requireSpaceForTokens(keyRing);
			await noting(ofAll, (alongside) => keyRing.rotate(purpose, undefined, alongside));
		} else {
			const only = request.userId === undefined ? undefined : await identity.accounts.get(request.userId);
			for await (const { kind, id, userId } of only ? [only] : allAccounts(parts)) {
				if (kind !== 'primary') continue;
				await noting({ purpose, userId }, (alongside) => keyRing.rotate(purpose, id, alongside));
			}
		}
	}
	return rotated;
}

/**
 * Checks that another generation of token keys is possible.
 * @throws Error if tokens cannot name a further generation
 */
async function requireSpaceForTokens(keyRing: KeyRing): Promise<void> {
	const { generation } = await keyRing.current('token');
	if (generation < MAX_TOKEN_GENERATIONS) return;
	throw new Error(
		`token keys cannot be rotated: a token tells ${MAX_TOKEN_GENERATIONS} generations apart, and all are used`,
	);
}

function isShared(purpose: RotatedPurpose): purpose is (typeof SHARED)[number] {
	return (SHARED as readonly string[]).includes(purpose);
}

/** This function is called with the progress of a sweep; `userId` is set if data of an account was moved. */
export type OnSwept = (moved: Partial<Awaited<ReturnType<typeof sweepAll>>> & { readonly userId?: string }) => void;

const FILES_PER_REMARK = 100;

/** Moves everything that older keys seal to the current ones, and retires former master keys that nobody needs. */
export async function sweepAll(
	parts: {
		database: Database;
		keyRing: KeyRing;
		audit: Audit;
		identity: Identity;
		actor: string;
		blobs: BlobStore;
		clock?: Clock;
	},
	onSwept?: OnSwept,
	/** This function is called with the number of items that were moved or found damaged so far. */
	onProgress: (done: number) => void = () => {},
) {
	const { actor, audit, database, keyRing } = parts;
	// `damaged` are pages, files and secrets that no key opens; they are not changed. `rows` are those with new seals.
	const total = { pages: 0, cvvs: 0, fingerprints: 0, files: 0, secrets: 0, rows: 0, damaged: 0 };
	for await (const account of allAccounts(parts)) {
		let last = { pages: 0, cvvs: 0, fingerprints: 0, damaged: 0 };
		for await (const progress of sweep(parts, [account.id as AccountId])) {
			last = progress;
			onProgress(sumOf(total) + last.pages + last.cvvs + last.fingerprints + last.damaged);
		}
		total.pages += last.pages;
		total.cvvs += last.cvvs;
		total.fingerprints += last.fingerprints;
		total.damaged += last.damaged;
		const { pages, cvvs, fingerprints } = last;
		if (pages + cvvs + fingerprints > 0) onSwept?.({ userId: account.userId, pages, cvvs, fingerprints });
	}
	for (const rows of sealedSecrets) {
		for await (const outcome of resealRows({ database, keyRing }, rows)) {
			total[outcome === 'moved' ? 'secrets' : 'damaged'] += 1;
			onProgress(sumOf(total));
		}
	}
	if (total.secrets > 0) onSwept?.({ secrets: total.secrets });
	for (const shape of sealedTables) {
		const beside = (row: SealableRow) => besideOf(database.knex, shape, row);
		for await (const count of resealShape({ database, keyRing }, shape, beside)) total.rows += count;
	}
	if (total.rows > 0) onSwept?.({ rows: total.rows });
	for await (const outcome of rewrapFiles(parts)) {
		total[outcome === 'moved' ? 'files' : 'damaged'] += 1;
		onProgress(sumOf(total));
		if (outcome === 'moved' && total.files % FILES_PER_REMARK === 0) onSwept?.({ files: total.files });
	}
	await audit.record({ actor, action: 'key.sweep', subject: 'installation', details: total });
	const formerMasterKey = await keyRing.retireFormerMasterKeys((transaction) =>
		audit.record({ actor, action: 'key.retire', subject: 'installation', details: { purpose: 'root' } }, transaction),
	);
	return { ...total, formerMasterKey };
}

function sumOf(total: Record<'pages' | 'cvvs' | 'fingerprints' | 'files' | 'secrets' | 'damaged', number>): number {
	return Object.values(total).reduce((sum, count) => sum + count, 0);
}
