// Measures in a process of its own one step of a vault that moves: `node vault-once.ts '{…}'` prints one line of JSON.

import { createWriteStream, readFileSync, writeFileSync } from 'node:fs';
import { systemClock } from '../src/base/clock.ts';
import type { AccountId, PassId } from '../src/base/database/ids.ts';
import { openDatabase } from '../src/base/database/open.ts';
import { migrate } from '../src/base/database/schema.ts';
import { openKeyRing } from '../src/base/keys/key-ring.ts';
import { localRootKey } from '../src/base/keys/providers/local.ts';
import { createKey, readFacts } from '../src/base/openpgp/keys.ts';
import { exportVault } from '../src/installation/vault/export-vault.ts';
import { importVault } from '../src/installation/vault/import-vault.ts';
import { openIdentity } from '../src/people/identity/identity.ts';
import { openAudit } from '../src/trail/audit.ts';
import { BulkCommit } from '../src/vault/cards/bulk-commit.ts';
import { openCardWriter } from '../src/vault/cards/card-writer.ts';
import { fingerprintsOf } from '../src/vault/cards/fingerprint.ts';
import { cardNumber } from './generate.ts';

/** `fill` makes a vault with cards and a key, `export` writes them, and `import` stores them in another vault. */
export interface VaultOnce {
	readonly kind: 'fill' | 'export' | 'import';
	readonly folder: string;
	readonly cards: number;
}

export interface VaultOnceResult {
	readonly seconds: number;
	readonly peakMb: number;
}

const CARDS_AT_ONCE = 8192;
const environment = 'sandbox';

async function openParts(folder: string, name: string) {
	const database = await openDatabase({ url: `sqlite:${folder}/${name}.sqlite` });
	await migrate(database);
	const root = localRootKey(Buffer.alloc(32, name.length), 'benchmark');
	const keyRing = await openKeyRing({ database, environment, root });
	const audit = await openAudit({ database, keyRing });
	const identity = openIdentity({ database, keyRing, audit, environment });
	if (!(await identity.accounts.find('bench'))) await identity.accounts.create({ userId: 'bench' }, 'bench');
	return { database, keyRing, audit, identity, clock: systemClock };
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function fill({ database, keyRing, identity }: Parts, { folder, cards }: VaultOnce): Promise<void> {
	const { secretKey, publicKey } = await createKey('benchmark');
	writeFileSync(`${folder}/secret`, secretKey!);
	writeFileSync(`${folder}/public`, publicKey);
	const { id } = await identity.accounts.get('bench');
	const pass = { id: '01bench' as PassId, begunAt: Date.now() };
	const whose = { accountId: id as AccountId, creatorId: id as AccountId, pass };
	const commit = new BulkCommit(database);
	const writer = await openCardWriter({ database, keyRing, clock: systemClock, now: new Date(), ...whose, commit });
	for (let nth = 0; nth < cards; nth++) {
		if (nth % CARDS_AT_ONCE === 0) {
			await writer.drain();
			await writer.reserve(CARDS_AT_ONCE);
		}
		const digits = Buffer.from(cardNumber(nth));
		const name = Buffer.from(`CARDHOLDER ${nth}`);
		const nothing = { spelling: null, issueNumber: null, owner: null };
		const fields = {
			kind: 'card',
			shape: 'plain',
			expiry: 203912,
			type: 19,
			digits,
			digitCount: digits.length,
			name,
		} as const;
		const place = writer.place({ ...fields, ...nothing });
		writer.addReference(place, `booking-${nth}`);
		writer.addFingerprint(place, fingerprintsOf(writer.fingerprintKeys, { ...fields, ...nothing }));
	}
	await writer.settle();
}

async function exportAll(parts: Parts, { folder }: VaultOnce): Promise<void> {
	const armored = readFileSync(`${folder}/public`, 'utf8');
	const { fingerprint } = await readFacts(armored);
	const output = createWriteStream(`${folder}/vault.pgp`);
	await exportVault(parts, {
		...{ userIds: [], format: 'json', isArmored: false, environment, actor: 'bench' },
		key: { name: 'bench', armored, fingerprint },
		write: (bytes) => new Promise((resolve) => output.write(bytes, () => resolve())),
		onProgress() {},
	});
	await new Promise((resolve) => output.end(resolve));
}

async function importAll(parts: Parts, { folder, cards }: VaultOnce): Promise<void> {
	const { stored } = await importVault(parts, {
		...{ path: `${folder}/vault.pgp`, dataDir: folder, environment, actor: 'bench' },
		...{ renamed: new Map(), leavesOut: false, isTrial: false },
		key: { name: 'bench', armored: readFileSync(`${folder}/secret`, 'utf8') },
		onProblems: async () => {},
		onProgress() {},
	});
	if (stored !== cards) throw new Error(`${stored} cards were stored, not ${cards}`);
}

const task = JSON.parse(process.argv[2]) as VaultOnce;
const parts = await openParts(task.folder, task.kind === 'import' ? 'there' : 'here');
const began = performance.now();
await { fill, export: exportAll, import: importAll }[task.kind](parts, task);
const seconds = (performance.now() - began) / 1000;
await parts.database.close();
const peakMb = (process.resourceUsage().maxRSS * 1024) / 1e6;
process.stdout.write(`${JSON.stringify({ seconds, peakMb } satisfies VaultOnceResult)}\n`);
