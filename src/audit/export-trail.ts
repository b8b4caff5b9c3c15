import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Knex } from 'knex';
import { type AuditRow, auditStore } from './audit-store.ts';

const BATCH_ROWS = 1_000;

/** Writes the trail as one JSON object a line, as fast as the stream takes it. */
export async function exportTrail(knex: Knex, stream: Writable): Promise<number> {
	const store = auditStore(knex);
	let exported = 0;
	let last = 0;
	for (;;) {
		const rows = await store.listAfter(last, BATCH_ROWS);
		if (rows.length === 0) return exported;
		exported += rows.length;
		last = rows.at(-1)!.seq;
		const text = rows.map((row) => `${JSON.stringify(exportedForm(row))}\n`).join('');
		if (!stream.write(text)) await once(stream, 'drain');
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
