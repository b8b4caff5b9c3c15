// Shows what `file tokenize` would do with a file without doing it: it uses the same scanners and judgements but stores
// nothing.

import { makeUlid } from '../drops/ulid.ts';
import { mergedOptions } from '../jobs/format-options.ts';
import { ReportBook } from '../jobs/report-book.ts';
import { readPieces } from '../transfer/file-source.ts';
import type { Summary } from '../transfer/report.ts';
import { boundEngine } from './bound-engine.ts';
import type { LocalFile } from './local-file.ts';
import { type CommandOpening, openRooms } from './open-rooms.ts';

/** Processes a file without storing or writing anything. */
export async function tryLocalFile(
	context: CommandOpening,
	{ userId, filter, input, options, onProgress }: Omit<LocalFile, 'direction' | 'output' | 'reportPath'>,
): Promise<{ readonly summary: Summary; readonly book: ReportBook }> {
	const rooms = await openRooms(context);
	const account = await rooms.identity.accounts.get(userId);
	const own = options === undefined ? null : JSON.stringify(options);
	const merged = await mergedOptions(rooms, { accountId: account.id, filter }, own);
	const report = merged.report as object | undefined;
	const book = new ReportBook();
	const { engine } = boundEngine(rooms, context.settings);
	const summary = await engine.run({
		...{ jobId: makeUlid(Date.now()) as never, accountId: account.id, direction: 'tokenize', filter, isTrial: true },
		// Duplicates are not looked up, because each look-up counts towards a limit. So every card is shown as new.
		options: { ...merged, eliminateCardDuplication: false, report: { ...report, cards: 'all' } },
		source: readPieces(input, context.settings.transfer.windowBytes),
		sink: { write: async () => {} },
		report: book,
		onProgress,
	});
	await book.finish();
	return { summary, book };
}
