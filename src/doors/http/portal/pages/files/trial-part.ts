// Processes a file as a trial, and shows what would happen to it. Nothing is stored, and numbers are masked.

import { ServiceError } from '../../../../../base/errors.ts';
import { failureOfError } from '../../../../../base/failures.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { ReportEntry } from '../../../../../engine/report.ts';
import type { Jobs } from '../../../../../work/jobs/jobs.ts';
import type { Trial } from '../../../../../work/jobs/trial.ts';
import { toServiceError } from '../../../server/failures.ts';
import { failureWords } from '../../failure-words.ts';
import { tableOf } from '../../kinds/columns.ts';
import { count, notice } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { ENTRIES, reportCounts } from './report-part.ts';

/** The maximum size of a file in a trial, which runs within the request and so must not take long. */
export const MAX_TRIAL_BYTES = 4 * 1024 * 1024;
const SHOWN_ENTRIES = 200;

/** Returns the part of a page that shows what would happen to a file, or why the file would be refused. */
export async function trialPart(call: PortalCall, jobs: Jobs, trial: Trial): Promise<Html> {
	const { say } = call;
	try {
		return html`<h2 id="result" tabindex="-1">${say('trial.result')}</h2>${await resultOf(call, jobs, trial)}`;
	} catch (error) {
		const failure = toServiceError(error);
		if (failure.status >= 500) throw error;
		const reason = failure.moreInfo ?? failure.message;
		const words = failureWords(call, failureOfError(failure));
		const said = words
			? html`${say('trial.refused')} ${words.says} ${words.next} <small lang="en">${reason}</small>`
			: say('trial.failed', { reason });
		return html`<h2 id="result" tabindex="-1">${say('trial.result')}</h2>${notice('bad', said)}`;
	}
}

async function resultOf(call: PortalCall, jobs: Jobs, trial: Trial): Promise<Html> {
	const { say, language } = call;
	const { summary, book } = await jobs.tryFile(trial);
	const entries: ReportEntry[] = [];
	for await (const lines of book.lines()) {
		const some = lines.slice(0, SHOWN_ENTRIES - entries.length);
		entries.push(...some.map((line) => JSON.parse(line) as ReportEntry));
	}
	const figures = {
		cards: count(summary.cards, language),
		refused: count(summary.refused, language),
		warned: count(summary.warned, language),
		others: count(summary.otherNumbers, language),
	};
	const { notices, cards, refused, otherNumbers, otherCodes } = summary;
	const { refusals, warnings, others } = book;
	const entriesOmitted = Math.max(0, cards + refused + otherNumbers + otherCodes - entries.length);
	return html`${notice(refused > 0 ? 'plain' : 'good', say('trial.summary', figures))}
${reportCounts(call, { notices, refusals, warnings, others, entriesOmitted: 0 })}
${tableOf(call, ENTRIES, entries)}${entriesOmitted > 0 && html`<p>… ${count(entriesOmitted, language)}</p>`}`;
}

/**
 * Yields the bytes of `source`.
 * @throws ServiceError if there are more than `MAX_TRIAL_BYTES`
 */
export async function* limited(call: PortalCall, source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
	let size = 0;
	for await (const bytes of source) {
		size += bytes.length;
		if (size > MAX_TRIAL_BYTES) throw new ServiceError('bad-input-data', { moreInfo: call.say('trial.tooLarge') });
		yield bytes;
	}
}
