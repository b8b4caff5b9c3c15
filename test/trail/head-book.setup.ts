// What head-book.test.ts and head-book.slow.test.ts share.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { compareHeads } from '../../src/trail/checks/compare-heads.ts';
import { openHeadBook } from '../../src/trail/checks/head-book.ts';
import { type IdentityParts, openIdentityParts } from '../helpers/identity-parts.ts';

export const note = (name: string) => ({ actor: 'operator test', action: 'test.note', subject: `note ${name}` });

export async function record(parts: Pick<IdentityParts, 'audit'>, entries: number) {
	for (let count = 0; count < entries; count += 1) await parts.audit.record(note(String(count)));
}

/** Opens a trail of six entries, and a file of heads with two lines, of which the last one is about the fifth entry. */
export async function open(t: ExecutionContext, dialect: Dialect) {
	const parts = await openIdentityParts(t, dialect);
	// Every installation has keys for more than the trail, so this one gets another key too.
	await parts.keyRing.current('token');
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const file = join(folder, 'heads.jsonl');
	const errors: string[] = [];
	const logger = { error: (_fields: object, message: string) => void errors.push(message) } as never;
	const limits = { headEntries: 1000, headSeconds: 60 };
	const openBook = async (daemon: Pick<IdentityParts, 'keyRing'> = parts) => {
		const book = await openHeadBook({ ...parts, ...limits, keyRing: daemon.keyRing, headFile: file, logger });
		t.teardown(() => book.close());
		return book;
	};
	await record(parts, 2);
	const book = await openBook();
	await record(parts, 2);
	await book.note(true);
	await record(parts, 1);
	const compare = (daemon: Pick<IdentityParts, 'keyRing'> = parts) =>
		compareHeads({ database: parts.database, keyRing: daemon.keyRing, headFile: file });
	const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
	const keep = (kept: readonly string[]) => writeFileSync(file, kept.map((line) => `${line}\n`).join(''));
	return { ...parts, knex: parts.database.knex, file, book, openBook, compare, lines, keep, errors };
}
