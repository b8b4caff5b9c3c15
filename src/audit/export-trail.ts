import type { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { type AuditRow, auditStore } from './audit-store.ts';

const BATCH_ROWS = 1_000;

/**
 * Writes the trail as one JSON object a line, as fast as the stream takes it; the stream is not ended.
 * @throws what the stream fails with
 */
export async function exportTrail(knex: Knex, stream: Writable): Promise<number> {
	const store = auditStore(knex);
	// The write that fails tells it; an event that nobody hears would end the process.
	stream.on('error', () => {});
	let exported = 0;
	let last = 0;
	for (;;) {
		const rows = await store.listAfter(last, BATCH_ROWS);
		if (rows.length === 0) return exported;
		exported += rows.length;
		last = rows.at(-1)!.seq;
		const text = rows.map((row) => `${JSON.stringify(exportedForm(row))}\n`).join('');
		await new Promise<void>((resolve, reject) => {
			stream.write(text, (error) => (error ? reject(stream.errored ?? error) : resolve()));
		});
	}
}

function exportedForm(row: AuditRow) {
	return {
		seq: row.seq,
		at: new Date(row.at).toISOString(),
		actor: row.actor,
		action: row.action,
		subject: row.subject,
		details: JSON.parse(row.details),
		previousHash: row.previous_hash,
		hash: row.hash,
		keyId: row.key_id,
	};
}
