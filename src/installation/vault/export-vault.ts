// Writes the cards of accounts for somebody else: encrypted for one OpenPGP key from the first byte on, so that no clear
// text is on any disk. CVVs are never in it.

import { createHash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import { badInput } from '../../base/errors.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { NamedKey } from '../../base/openpgp/message-task.ts';
import { openMessageThreads } from '../../base/openpgp/message-threads.ts';
import { AccountNames } from '../../people/identity/accounts/account-names.ts';
import type { Account } from '../../people/identity/accounts/accounts.ts';
import type { Identity } from '../../people/identity/identity.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import { type WholeRecord, walkRecords } from '../../vault/cards/record-walk.ts';
import { PAGE_KINDS, type PageKind } from '../../vault/pages/record-codec.ts';
import { LiveTokens } from '../../vault/tokens/live-tokens.ts';
import { writeAll } from '../../work/pgp/messages.ts';
import { headerRow, rowsOf } from './migration-csv.ts';
import { firstLineOf, lastLineOf, lineOf } from './record-line.ts';

/** `json` has all that is known of each record, and another installation reads it; `csv` has cards for payment providers. */
export const EXPORT_FORMATS = ['json', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface VaultExport {
	/** The user IDs of primary accounts; without any, all of them. */
	readonly userIds: readonly string[];
	/** The public key of whoever may read the export. */
	readonly key: NamedKey & { readonly fingerprint: string };
	readonly environment: string;
	readonly actor: Actor;
	readonly format: ExportFormat;
	readonly isArmored: boolean;
	write(bytes: Uint8Array): Promise<void>;
	onProgress(records: number): void;
}

export type Exported = Awaited<ReturnType<typeof exportVault>>;

/**
 * Writes the records of accounts. The trail has an entry for each account before the first byte is written, and another
 * one at the end.
 * @throws ServiceError if an account does not exist or is not a primary one, or the key cannot be used
 */
export async function exportVault(
	parts: { database: Database; keyRing: KeyRing; audit: Audit; identity: Pick<Identity, 'accounts'>; clock: Clock },
	order: VaultExport,
) {
	const { database, keyRing, audit, identity, clock } = parts;
	const { format, key, environment, actor } = order;
	const accounts = await findAccounts(identity, order.userIds);
	// This names the export, here and where it is imported.
	const exportId = makeUlid(clock.now().getTime());
	const told = { export: exportId, format, key: key.fingerprint };
	for (const { userId } of accounts) {
		await audit.record({ actor, action: 'vault.export.begin', subject: `account ${userId}`, details: told });
	}
	const tokens = new LiveTokens({ database, keyRing, clock });
	const walk = (account: Account, kind: PageKind, onLeftOut: (records: number) => void) =>
		walkRecords({ database, keyRing, tokens, clock }, account.id, kind, onLeftOut);
	const written = new Map(accounts.map(({ userId }) => [userId, 0]));
	const counts = {
		records: 0,
		/** The records that the format has no place for: network tokens and data blocks in a table of cards. */
		notInFormat: 0,
		/** The records whose page of the vault is damaged. */
		leftOut: 0,
	};
	const names = new AccountNames(identity.accounts);
	const layout = format === 'csv' ? csvLayout(names) : jsonLayout(names);
	let isWhole = false;
	try {
		const clear = async function* () {
			yield layout.head({
				environment,
				export: exportId,
				exportedAt: clock.now().toISOString(),
				accounts: accounts.map(({ userId }) => userId),
			});
			for (const account of accounts) {
				for (const kind of Object.values(PAGE_KINDS)) {
					for await (const records of walk(account, kind, (damaged) => (counts.leftOut += damaged))) {
						await names.load(
							records.flatMap(({ page, merchantIds }) => [page.account_id, page.creator_id, ...merchantIds]),
						);
						const { bytes, count } = layout.body(records);
						counts.records += count;
						counts.notInFormat += records.length - count;
						written.set(account.userId, written.get(account.userId)! + count);
						order.onProgress(counts.records);
						yield bytes;
					}
				}
			}
			yield layout.end(counts.records);
		};
		const sha256 = await encrypt(order, clear());
		isWhole = true;
		const each = Array.from(written, ([account, records]) => ({ account, records }));
		// `sha256` is of the encrypted file, in hexadecimal.
		return { export: exportId, ...counts, accounts: each, fingerprint: key.fingerprint, sha256 };
	} finally {
		for (const [userId, records] of written) {
			const details = { ...told, records, isWhole };
			await audit.record({ actor, action: 'vault.export', subject: `account ${userId}`, details });
		}
	}
}

/** How an export is written, as bytes that are wiped once they are encrypted. */
interface Layout {
	head(told: Parameters<typeof firstLineOf>[0]): Buffer;
	body(records: readonly WholeRecord[]): { readonly bytes: Buffer; readonly count: number };
	end(records: number): Buffer;
}

function jsonLayout(names: AccountNames): Layout {
	const nameOf = names.find.bind(names);
	return {
		head: (told) => Buffer.from(`${firstLineOf(told)}\n`),
		body: (records) => ({
			bytes: Buffer.from(records.map((record) => `${lineOf(record, nameOf)}\n`).join('')),
			count: records.length,
		}),
		end: (records) => Buffer.from(`${lastLineOf(records)}\n`),
	};
}

function csvLayout(names: AccountNames): Layout {
	const nameOf = names.find.bind(names);
	return {
		head: headerRow,
		body(records) {
			const { rows, cards } = rowsOf(records, nameOf);
			return { bytes: rows, count: cards };
		},
		end: () => Buffer.alloc(0),
	};
}

async function encrypt({ key, isArmored, write }: VaultExport, clear: AsyncGenerator<Buffer>): Promise<string> {
	const threads = openMessageThreads({ threads: 1 });
	const hash = createHash('sha256');
	try {
		const task = { kind: 'encrypt', readers: [key], signer: undefined, armor: isArmored, compress: 'none' } as const;
		const work = await threads.begin(task, async (bytes) => {
			hash.update(bytes);
			await write(bytes);
		});
		await writeAll(work, wiping(clear));
	} finally {
		await threads.close();
	}
	return hash.digest('hex');
}

async function* wiping(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
	for await (const bytes of source) {
		yield bytes;
		bytes.fill(0);
	}
}

/** At most this many accounts are read at once. */
const PAGE = 1_000;

async function findAccounts({ accounts }: Pick<Identity, 'accounts'>, userIds: readonly string[]) {
	if (userIds.length > 0) {
		const named = await Promise.all([...new Set(userIds)].map((userId) => accounts.get(userId)));
		const part = named.find(({ parentId }) => parentId !== null);
		if (!part) return named;
		const problem = `${part.userId} has no cards of its own: name the primary account, to which they belong`;
		throw badInput('--account', problem);
	}
	const all: Account[] = [];
	for (let offset = 0; ; offset += PAGE) {
		const page = await accounts.list({ limit: PAGE, offset });
		all.push(...page.filter(({ parentId }) => parentId === null));
		if (page.length === PAGE) continue;
		const broken = all.find(({ isBroken }) => isBroken);
		if (!broken) return all;
		const problem = `somebody has changed the row of ${broken.userId} (audit verify): name the other accounts`;
		throw badInput('--account', problem);
	}
}
