// The history of a route, and its ledger: every file that it has seen.

import { type HtmlValue, html } from '../../../../../base/pages/html.ts';
import type { ShownFile, ShownRun, ToldFile, ToldRun } from '../../../../../work/routes/runs/history.ts';
import { whyPart } from '../../failure-words.ts';
import { type Column, link } from '../../kinds/columns.ts';
import { DAYS, periodOf } from '../../kinds/days.ts';
import { numberOf } from '../../kinds/list.ts';
import { fileOf, type PagedRows, paged, ulidOf } from '../../kinds/paged-rows.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';
import { sizeText } from '../files/shown-job.ts';
import {
	FILE_STATES,
	ROUTE,
	type RouteParts,
	RUN_STATES,
	requireNumbersOut,
	routeOfCall,
	routePages,
	routePath,
	userOfCall,
} from './routes-group.ts';

const PAGE_LENGTH = 25;
/** What the file of the list has of each run. */
const RUN_FILE = fileOf<ToldRun>(
	...(['run', 'trigger', 'state', 'startedAt', 'endedAt'] as const).map(ofRun),
	['files', ({ run }) => run.files.filter(({ state }) => state !== 'skipped').length],
	ofRun('reason'),
);
/** What the file of the ledger has of each file. */
const LEDGER_FILE = fileOf<ToldFile>(
	...(['path', 'size', 'modifiedAt', 'sha256', 'state', 'run', 'tries', 'nextTryAt', 'reason'] as const).map(
		(name) => [name, ({ file }: ToldFile) => file[name]] as const,
	),
);

function ofRun(name: keyof ShownRun) {
	return [name, ({ run }: ToldRun) => run[name]] as const;
}

export const RUN_COLUMNS: readonly Column<ToldRun>[] = [
	['routes.began', ({ run }) => new Date(run.startedAt)],
	['routes.trigger', ({ run }, { say }) => say(`routes.triggers.${run.trigger}`)],
	['words.outcome', ({ run }, call) => RUN_STATES.badge(call, run.state)],
	['frame.sections.files', filesOf],
	['words.reason', ({ failure }, call) => whyPart(call, failure)],
];

/** Returns what became of the files of a run, folded until somebody wants to read it. */
function filesOf({ run: { files }, failures }: ToldRun, call: PortalCall): HtmlValue {
	const { say } = call;
	const told = files.filter(({ state }) => state !== 'skipped');
	if (files.length === 0) return say('words.none');
	const items = files.map(({ path, state, deliveredAs, cards, refused, job }, nth) => {
		const name = job === null || !call.viewer.has('files.see') ? path : link(`/portal/jobs/${job}`, path);
		const as = deliveredAs === null ? '' : ` → ${deliveredAs}`;
		const counted = cards === null ? '' : ` · ${say('routes.cards', { cards, refused: refused ?? 0 })}`;
		return html`<li>${name}${as}: ${say(`routes.ends.${state}`)}${counted}${failures[nth] && html` · ${whyPart(call, failures[nth])}`}</li>\n`;
	});
	return html`<details><summary>${say('routes.fileCount', { count: told.length })}</summary><ul>${items}</ul></details>`;
}

export function routeRunPages({ routes, routeControls }: RouteParts): PortalPage[] {
	const titled = (key: 'routes.runs' | 'routes.ledger') => (call: PortalCall) =>
		`${call.params.name}: ${call.say(key)}`;
	const runs: PagedRows<ToldRun> = {
		length: PAGE_LENGTH,
		async ask(call, values) {
			const { row } = await routeOfCall(routes, call);
			const question = { state: values.state as ShownRun['state'] | undefined, ...periodOf(values) };
			return {
				list: (page) => routeControls.toldRuns(row, { ...question, ...page }),
				count: (most) => routeControls.countRuns(row, question, most),
			};
		},
		keyOf: ({ run }) => run.run,
		readKey: ulidOf,
	};
	const ledger: PagedRows<ToldFile, number> = {
		length: PAGE_LENGTH,
		async ask(call, values) {
			const { row } = await routeOfCall(routes, call);
			const question = { state: values.state as ShownFile['state'] | undefined };
			return {
				list: (page) => routeControls.files(row, { ...question, ...page }),
				count: (most) => routeControls.countFiles(row, question, most),
			};
		},
		keyOf: ({ id }) => id,
		readKey: numberOf,
	};
	const back = ({ params, say }: PortalCall) =>
		html`<p>${link(routePath(params.name), `${say('routes.one')} ${params.name}`)}</p>`;
	return [
		...routePages.list<ToldRun>(`${ROUTE}/runs`, 'routes.see', {
			title: titled('routes.runs'),
			...paged(runs, RUN_FILE),
			search: {
				filters: [{ name: 'state', label: 'words.outcome', choices: RUN_STATES.choices('words.all') }, ...DAYS],
			},
			live: { id: 'runs', kinds: ['routes'] },
			caption: 'routes.runsCaption',
			columns: RUN_COLUMNS,
			none: 'routes.noRuns',
			below: back,
		}),
		...routePages.list<ToldFile>(`${ROUTE}/files`, 'routes.see', {
			title: titled('routes.ledger'),
			...paged(ledger, LEDGER_FILE),
			above: ({ say }) => html`<p>${say('routes.ledgerHint')}</p>`,
			search: { filters: [{ name: 'state', label: 'words.state', choices: FILE_STATES.choices('words.all') }] },
			live: { id: 'ledger', kinds: ['routes'] },
			caption: 'routes.ledgerCaption',
			columns: (place) => [
				['words.file', ({ file }) => file.path],
				['words.size', ({ file }, { language }) => sizeText(file.size, language)],
				['words.changed', ({ file }) => new Date(file.modifiedAt)],
				['words.state', ({ file }, call) => FILE_STATES.badge(call, file.state)],
				['words.tries', ({ file }) => file.tries],
				['words.reason', ({ failure }, call) => whyPart(call, failure)],
				[
					'routes.again',
					({ file: { path, state } }) => {
						if (state === 'dead') return place('retry', { file: path });
						return state === 'claimed' ? null : place('forget', { file: path });
					},
					({ viewer }) => viewer.has('routes.change'),
				],
			],
			none: 'routes.noLedger',
			actions: {
				retry: {
					right: 'routes.change',
					submit: 'routes.retry',
					tone: 'plain',
					shows: 'refusals',
					async act(_, call) {
						const { row, route } = await routeOfCall(routes, call);
						requireNumbersOut(call, route);
						const taken = await routeControls.retry(userOfCall(call), row, { path: call.form.file ?? '' });
						if (taken.length === 0) throw notThere();
						return 'routes.retried';
					},
				},
				forget: {
					right: 'routes.change',
					submit: 'routes.forget',
					tone: 'plain',
					async act(_, call) {
						const { row } = await routeOfCall(routes, call);
						if ((await routeControls.forget(userOfCall(call), row, call.form.file ?? '')) === 0) throw notThere();
						return 'routes.forgotten';
					},
				},
			},
			below: back,
		}),
	];
}
