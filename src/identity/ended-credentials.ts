// Remembers which credentials were ended. If somebody puts an earlier version of a row back, its seal is still valid.
// Therefore ends are remembered in three places: in a table, in the memory of every process that has read the table,
// and in a file of the data directory, which a person who can only write the database cannot change.

import { appendFile, readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { RowSealer, RowSeals } from '../keys/row-seals.ts';
import { type CredentialKind, type EndedRow, endedStore } from './ended-store.ts';
import { sealedEndings } from './sealed-rows.ts';

export interface EndedCredentials {
	/** Notes an end in the transaction that ends the credential. */
	note(transaction: Knex.Transaction, sealer: RowSealer, ended: Ended): Promise<void>;
	/** Updates the list of ended credentials from the database, unless it was read less than a second ago. */
	refresh(): Promise<void> | undefined;
	/**
	 * Tells whether a credential was ended, according to the list that `refresh` has read last. This is so if the list
	 * has the credential with the given version of its row or a later version.
	 */
	has(ended: Ended): boolean;
}

export interface Ended {
	readonly kind: CredentialKind;
	readonly id: number;
	readonly createdAt: number;
	readonly version: number;
}

const YOUNG_MS = 1_000;
/**
 * Each reading of the table begins this long before the latest end that is known, because an earlier end may appear
 * later: the clocks of daemons differ, and a transaction commits later than it reads its clock.
 */
const OVERLAP_MS = 10 * 60_000;

export function openEndedCredentials(options: {
	readonly database: Database;
	readonly seals: RowSeals;
	readonly clock: Clock;
	/**
	 * The file of the data directory that also lists ended credentials. Without it, they are remembered only in the
	 * process and the database.
	 */
	readonly file?: string;
}): EndedCredentials {
	const { database, seals, clock, file } = options;
	const store = endedStore(database.knex);
	const dead = new Map<string, number>();
	const inFile = new Set<string>();
	let isFileRead = file === undefined;
	let lastAt = 0;
	let readAt = Number.NEGATIVE_INFINITY;
	let reading: Promise<void> | undefined;
	const nameOf = (kind: CredentialKind, id: number, createdAt: number) => `${kind} ${id} ${createdAt}`;

	const learn = (sealer: RowSealer, row: EndedRow): boolean => {
		if (!sealer.isIntact(sealedEndings, row)) return false;
		const name = nameOf(row.kind, row.credential_id, row.created_at);
		dead.set(name, Math.max(dead.get(name) ?? -1, row.version));
		return true;
	};
	const readRegister = async () => {
		const startedAt = performance.now();
		if (!isFileRead) {
			for (const line of await linesOf(file!)) {
				const row = parseLine(line);
				if (row && (await seals.withSealer((sealer) => learn(sealer, row)))) inFile.add(line);
			}
			isFileRead = true;
		}
		const rows = await store.listSince(lastAt - OVERLAP_MS);
		const news: string[] = [];
		await seals.withSealer((sealer) => {
			for (const row of rows) {
				if (!learn(sealer, row)) continue;
				lastAt = Math.max(lastAt, row.at);
				const line = lineOf(row);
				if (!inFile.has(line)) news.push(line);
			}
		});
		if (file !== undefined && news.length > 0) {
			// All lines are written at once, so that lines of several processes never mix.
			await appendFile(file, news.map((line) => `${line}\n`).join(''), { mode: 0o600, flush: true });
		}
		for (const line of news) inFile.add(line);
		readAt = startedAt;
	};

	return {
		async note(transaction, sealer, { kind, id, createdAt, version }) {
			const row = { kind, credential_id: id, created_at: createdAt, version, at: clock.now().getTime() };
			await endedStore(transaction).put({ ...row, ...sealer.seal(sealedEndings, row) });
			readAt = Number.NEGATIVE_INFINITY;
		},
		refresh() {
			if (performance.now() - readAt <= YOUNG_MS) return undefined;
			reading ??= readRegister().finally(() => {
				reading = undefined;
			});
			return reading;
		},
		has: ({ kind, id, createdAt, version }) => version <= (dead.get(nameOf(kind, id, createdAt)) ?? -1),
	};
}

async function linesOf(file: string): Promise<string[]> {
	try {
		return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
		throw error;
	}
}

function lineOf({ seal, ...row }: EndedRow): string {
	const { kind, credential_id, created_at, version, at, seal_key } = row;
	return JSON.stringify({ kind, credential_id, created_at, version, at, seal_key, seal: seal.toString('base64') });
}

/** Reads a line of the file; returns undefined for a line that a full disk cut off. */
function parseLine(line: string): EndedRow | undefined {
	try {
		const row = JSON.parse(line) as EndedRow & { seal: string };
		return { ...row, seal: Buffer.from(row.seal, 'base64') };
	} catch {
		return undefined;
	}
}
