// Handles rows of the database that were refused because they do not match their seals. Each is recorded in the audit
// trail, at a limited rate so that nobody can flood it, and passed on to a function of the caller, which writes the log
// and the metric.

import type { BrokenRow, RowSeals } from '../../base/keys/rows/row-seals.ts';
import type { Audit } from '../../trail/audit.ts';

const WINDOW_MS = 10 * 60_000;
/**
 * At most this many refused rows get an entry of their own in the trail within ten minutes. All others are counted, and
 * one entry has their number.
 */
const MAX_ENTRIES = 20;

/** Starts to handle refused rows. `close` resolves when every entry is written. */
export function watchIntegrity(
	{ seals, audit }: { readonly seals: RowSeals; readonly audit: Pick<Audit, 'record'> },
	onBroken: (row: BrokenRow, isNew: boolean) => void = () => {},
): { close(): Promise<void> } {
	let told = new Map<string, number>();
	let since = Date.now();
	const writing = new Set<Promise<void>>();

	const write = (subject: string, details: Readonly<Record<string, string | number>>) => {
		const written = audit
			.record({ actor: 'daemon', action: 'integrity.failed', subject, details })
			// A failure to write the entry is ignored: the row was refused in any case, and the log reports it.
			.catch(() => {})
			.finally(() => writing.delete(written));
		writing.add(written);
	};
	const endWindow = () => {
		let rows = 0;
		let times = 0;
		for (const count of told.values()) {
			if (count > 1) rows += 1;
			times += count - 1;
		}
		if (times > 0) write('rows of the database', { rows, times });
		told = new Map();
		since = Date.now();
	};
	const OTHERS = 'others';

	seals.onBroken((row) => {
		if (Date.now() - since > WINDOW_MS) endWindow();
		const subject = `row ${row.table} ${row.id}`;
		const isNew = !told.has(subject) && told.size < MAX_ENTRIES;
		const name = isNew || told.has(subject) ? subject : OTHERS;
		told.set(name, (told.get(name) ?? (isNew ? 0 : 1)) + 1);
		if (isNew) write(subject, { why: row.why });
		onBroken(row, isNew);
	});
	return {
		async close() {
			seals.onBroken(() => {});
			endWindow();
			while (writing.size > 0) await Promise.all(writing);
		},
	};
}
