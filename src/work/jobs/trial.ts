// Shows how a file would be processed, without storing anything: with the same scanners and checks of cards as a job.

import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { TransferEngine } from '../../engine/engine.ts';
import type { Progress, Summary } from '../../engine/report.ts';
import { lonePass } from '../ledger/ledger.ts';
import { ReportBook } from './attempts/report-book.ts';
import { mergedOptions } from './format-options.ts';

export interface Trial {
	readonly accountId: AccountId;
	readonly filter: string;
	/** Options that override those of the account and the folder. */
	readonly own?: unknown;
	/** Options that replace the stored ones of a filter, or of all filters (`ANY_FILTER`). */
	readonly instead?: { readonly filter: string; readonly options: unknown };
	readonly source: AsyncIterable<Uint8Array>;
	onProgress?(progress: Progress): void;
}

export interface TrialResult {
	readonly summary: Summary;
	/** The report. Every card has an entry in it, up to the largest number of entries that a report keeps. */
	readonly book: ReportBook;
}

/**
 * Processes a file without storing or writing anything.
 * @throws FileError for a bad file, OptionsError or ServiceError for options that are not valid
 */
export async function tryFile(
	parts: { database: Database; keyRing: Pick<KeyRing, 'seals'>; engine: TransferEngine },
	{ accountId, filter, own, instead, source, onProgress }: Trial,
): Promise<TrialResult> {
	const text = own === undefined ? null : JSON.stringify(own);
	const options = await mergedOptions(parts, { accountId, filter }, text, instead);
	const report = options.report as object | undefined;
	const book = new ReportBook();
	const summary = await parts.engine.run({
		pass: lonePass(Date.now()),
		accountId,
		direction: 'tokenize',
		filter,
		isTrial: true,
		// Existing tokens of the cards are not looked up, because each look-up counts towards a limit. So every card is
		// shown as new.
		options: { ...options, eliminateCardDuplication: false, report: { ...report, cards: 'all' } },
		source,
		sink: { write: async () => {} },
		report: book,
		onProgress,
	});
	await book.finish();
	return { summary, book };
}
