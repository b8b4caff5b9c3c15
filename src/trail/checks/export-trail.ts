import type { Writable } from 'node:stream';
import type { Knex } from 'knex';
import type { Dialect } from '../../base/database/dialect.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { type AuditRow, auditStore, type TrailRange } from '../audit-store.ts';
import { untilSettled } from '../lanes/settled.ts';
import { type ExportedRange, exportedForm, sealOfRange } from './exported-form.ts';

const BATCH_ROWS = 1_000;

/**
 * Writes all entries of a range of the trail, one JSON object per line, as fast as the stream accepts them, and a last
 * line that seals the range. The stream is not ended. Returns undefined and writes nothing if the range has no entry.
 * @throws the error of the stream
 */
export async function exportTrail(
	parts: { readonly database: { readonly knex: Knex; readonly dialect: Dialect }; readonly keyRing: KeyRing },
	stream: Writable,
	range: TrailRange = {},
): Promise<ExportedRange | undefined> {
	const { database, keyRing } = parts;
	const store = auditStore(database.knex);
	// The failed write reports the error; an error event without a listener would end the process.
	stream.on('error', () => {});
	const { first, last } = await store.findRange(range);
	await untilSettled(database, last);
	let [begin, end]: AuditRow[] = [];
	let entries = 0;
	for (let after = first - 1; after < last; after = end.seq) {
		const rows = (await store.listAfter(after, BATCH_ROWS)).filter(({ seq }) => seq <= last);
		if (rows.length === 0) break;
		begin ??= rows[0];
		end = rows.at(-1)!;
		entries += rows.length;
		await writeAll(stream, rows.map((row) => `${JSON.stringify(exportedForm(row))}\n`).join(''));
	}
	if (!begin) return undefined;
	const key = await keyRing.byId(end.key_id);
	const named = { first: begin.seq, last: end.seq, entries, keyId: end.key_id };
	const sealed = {
		...named,
		seal: sealOfRange(named, { previousHash: begin.previous_hash, hash: end.hash }, key.secret),
	};
	await writeAll(stream, `${JSON.stringify({ export: sealed })}\n`);
	return sealed;
}

function writeAll(stream: Writable, text: string): Promise<void> {
	return new Promise((resolve, reject) => {
		stream.write(text, (error) => (error ? reject(stream.errored ?? error) : resolve()));
	});
}
