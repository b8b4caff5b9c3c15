// The page of one file: its progress, its outcome, its report, and what can be done with it.

import { ServiceError } from '../../../../../base/errors.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { DropFile } from '../../../../../work/drops/drop-store.ts';
import { findFailure, inputFolder, type JobRow, outputFolder } from '../../../../../work/jobs/job.ts';
import { retryNote } from '../../../../../work/jobs/queue/retry-note.ts';
import { failureWords } from '../../failure-words.ts';
import type { Place } from '../../kinds/actions.ts';
import { link } from '../../kinds/columns.ts';
import { thingOf } from '../../kinds/group.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { mayHaveNumbers, principalOf, requireNumbers } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { notice } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { FILES, folderPath } from './places.ts';
import { namesPart, noteRemoval } from './remove-pages.ts';
import { reportPart } from './report-part.ts';
import { jobBadge, jobPath, jobProgress, percentOf, sizeText } from './shown-job.ts';

const { detail, question } = pagesOf({ section: 'files', help: '/docs/portal#a-file' });

type Parts = Pick<PortalParts, 'audit' | 'drops' | 'intake' | 'jobs'>;

/** Finds the job that the URL names, if it is one of the viewer's account. */
export function findJob({ jobs }: Pick<Parts, 'jobs'>, call: PortalCall): Promise<JobRow | undefined> {
	return jobs.find(principalOf(call).accountId, call.params.id);
}

export function jobPages(parts: Parts): PortalPage[] {
	const { audit, drops, intake, jobs } = parts;
	const find = (call: PortalCall) => findJob(parts, call);
	return [
		...detail<JobRow>('/portal/jobs/:id', 'files.see', {
			title: ({ name }) => name,
			find,
			history: ({ id }) => ({ about: 'job', name: id }),
			live: { id: 'job', kinds: ['jobs'], isMoving },
			facts: [
				['words.state', stateOf],
				['words.folder', (job) => link(folderPath(inputFolder(job)), `/${job.operation}/${job.filter}`)],
				['words.size', ({ bytes_total }, { language }) => sizeText(bytes_total, language)],
				['files.date', ({ created_at }) => new Date(created_at)],
				['files.ended', ({ finished_at }) => (finished_at === null ? undefined : new Date(finished_at))],
				['frame.sections.cards', ({ cards }) => cards],
				['files.refused', ({ refused }) => refused],
				['files.warned', ({ warned }) => warned],
				['files.others', ({ other_numbers }) => other_numbers],
			],
			actions: {
				retry: {
					right: 'files.change',
					isOffered: (job) => job.state === 'failed' && mayHelpAgain(job),
					submit: 'files.retry',
					async act(job, call) {
						if (job.operation === 'detokenize') requireNumbers(call);
						if (await intake.retry(job, retryNote(audit, call.viewer.actor, job))) return 'files.retried';
						const { state } = await thingOf({ find }, call);
						const why = call.say(state === 'failed' ? 'files.inputGone' : 'files.notFailed');
						throw new ServiceError('bad-input-data', { moreInfo: why });
					},
				},
			},
			body: async (job, call, { facts, place }) => [
				facts,
				failurePart(call, job),
				await actionsPart(call, parts, job, place),
				!isMoving(job) && (await reportPart(call, parts, job)),
			],
		}),
		...question<{ job: JobRow; files: readonly DropFile[] }>('/portal/jobs/:id/delete', 'files.change', {
			title: 'files.removeTitle',
			async find(call) {
				const job = await find(call);
				if (job?.operation === 'detokenize') requireNumbers(call);
				return job && { job, files: await jobs.filesOf(job) };
			},
			says: ({ files }, call) => namesPart(call, files),
			isPossible: ({ files }) => files.length > 0,
			submit: ({ files }, { say }) => say('files.removeCount', { count: files.length }),
			back: ({ job }) => jobPath(job),
			async act({ job, files }, call) {
				await noteRemoval(call, audit, `job ${job.id}`, files);
				for (const file of files) await drops.remove(file);
				return { redirectTo: folderPath(inputFolder(job)), notice: call.say('files.removed') };
			},
		}),
	];
}

function isMoving({ state }: JobRow): boolean {
	return state === 'queued' || state === 'running';
}

function stateOf(job: JobRow, { say }: PortalCall): Html {
	return html`${jobBadge(job, say)}${job.state === 'running' && html`${jobProgress(job, say)} ${percentOf(job)} %`}`;
}

async function actionsPart(call: PortalCall, { jobs }: Parts, job: JobRow, place: Place): Promise<Html> {
	const { viewer, say } = call;
	const path = jobPath(job);
	const button = (href: string, label: string, isFile = true) =>
		html`<a class="button plain" href="${href}"${isFile && html` data-whole`}>${label}</a> `;
	const mayFetch = viewer.has('files.fetch');
	const isInClear = job.operation === 'detokenize';
	const hasOutput = (await jobs.outputOf(job)) !== undefined;
	const hasReport = async (format: 'json' | 'csv') => mayFetch && (await jobs.reportOf(job, format)) !== undefined;
	const [hasJson, hasCsv] = await Promise.all([hasReport('json'), hasReport('csv')]);
	const isOutputShown = hasOutput && (isInClear ? mayHaveNumbers(call) : mayFetch);
	const isLacking = hasOutput && isInClear && viewer.role === 'manager' && !mayHaveNumbers(call);
	const maySend = viewer.has('files.upload') && (!isInClear || mayHaveNumbers(call));
	const mayChange = viewer.has('files.change') && !isMoving(job) && (!isInClear || mayHaveNumbers(call));
	return html`<div class="actions">${isOutputShown && button(`${path}/output`, say('files.fetchOutput'))}${
		hasJson && button(`${path}/report?format=json`, say('files.fetchReport'))
	}${hasCsv && button(`${path}/report?format=csv`, say('files.fetchCsv'))}${
		job.state === 'failed' &&
		maySend &&
		button(
			`${FILES}?${new URLSearchParams({ folder: `${job.operation}/${job.filter}` })}#send`,
			say('files.sendAgain'),
			false,
		)
	}${mayChange && [place('retry'), button(`${path}/delete`, say('files.remove'), false)]}</div>
${isLacking && notice('plain', say('files.needsFactor'))}${
	job.state === 'done' && html`<p><small>${say('files.outputAt')} /${outputFolder(job).area}/${job.filter}/</small></p>`
}`;
}

/** Tells whether it may help to process the same file again: at once, or after the next step that the page names. */
function mayHelpAgain(job: JobRow): boolean {
	return findFailure(job)?.retry !== 'no';
}

/** Returns the notice about a job that failed or waits for another attempt; none for any other job. */
function failurePart(call: PortalCall, job: JobRow): Html {
	const { say } = call;
	const failure = findFailure(job);
	if (!failure) return html``;
	const { state, error_message: message, error_line: line, error_record: record, last_message: last } = job;
	const says = failureWords(call, failure)?.says ?? '';
	// The exact words stay beside those for people, because somebody may have to tell them to the sender or the operator.
	const exact = (text: string | null) => text !== null && html` <small lang="en">${text}</small>`;
	if (state !== 'failed')
		return state === 'queued' ? notice('plain', html`${say('files.triedBefore')} ${says}${exact(last)}`) : html``;
	const places = [
		record !== null && `${say('files.record')} ${record}`,
		line !== null && `${say('words.line')} ${line}`,
	];
	const place = places.filter(Boolean).join(', ');
	const next = say(`failure.next.${failure.next}`);
	return notice('bad', html`${says} ${place && `(${place})`} ${next}${exact(message ?? job.error_reason)}`);
}
