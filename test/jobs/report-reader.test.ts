// Checks that stored reports can be read page by page.

import test from 'ava';
import { emptySummary } from '../../src/engine/report.ts';
import { reportDocument, writeJsonReport } from '../../src/work/jobs/attempts/report.ts';
import { ReportBook } from '../../src/work/jobs/attempts/report-book.ts';
import { readReportPage, readReportTop } from '../../src/work/jobs/attempts/report-reader.ts';

async function reportOf(entries: number) {
	const book = new ReportBook();
	for (let i = 1; i <= entries; i++) {
		const outcome = i % 10 === 0 ? 'refused' : 'tokenized';
		book.entry({
			outcome,
			line: i,
			offset: i * 20,
			lastFour: '1111',
			...(outcome === 'refused' && { reason: 'Expired "card"\n' }),
		});
	}
	await book.finish();
	const job = { id: 'J', state: 'done', bytesTotal: 10_000_000, name: '\t"entries": [' };
	const document = await reportDocument({ job: job as never, counts: { ...emptySummary(), cards: entries } }, book);
	const pieces: Buffer[] = [];
	await writeJsonReport({ write: async (bytes) => void pieces.push(Buffer.from(bytes)) }, document);
	const bytes = Buffer.concat(pieces);
	return {
		size: bytes.length,
		read: async (at: number, length: number) => bytes.subarray(at, Math.min(at + length, at + 1000)),
	};
}

test('all entries are found, page after page, each once', async (t) => {
	for (const count of [0, 1, 99, 100, 101, 1000]) {
		const report = await reportOf(count);
		const { top, start } = await readReportTop(report);
		t.is(top.counts!.cards, count);
		const lines: number[] = [];
		for (let at: number | undefined = start; at !== undefined; ) {
			const page = await readReportPage(report, at, { limit: 100, isShown: () => true });
			lines.push(...page.entries.map(({ line }) => line));
			at = page.next;
		}
		t.deepEqual(
			lines,
			Array.from({ length: count }, (_, index) => index + 1),
		);
	}
});

test('only some entries are shown, and a place inside of one counts as the next', async (t) => {
	const report = await reportOf(1000);
	const { top, start } = await readReportTop(report);
	t.is(top.refusals[0].cards, 100);
	const isShown = ({ outcome }: { outcome: string }) => outcome === 'refused';
	const first = await readReportPage(report, start, { limit: 60, isShown });
	const second = await readReportPage(report, first.next!, { limit: 60, isShown });
	t.is(first.entries.length + second.entries.length, 100);
	t.is(second.next, undefined);
	t.is(first.entries[0].reason, 'Expired "card"\n');
	const inside = await readReportPage(report, start + 20, { limit: 1, isShown: () => true });
	t.is(inside.entries[0].line, 2);
	t.deepEqual(await readReportPage(report, 1e9, { limit: 1, isShown }), { entries: [], next: undefined });
});
