// The operators' pages about the installation. They only show its state, except that bans can be lifted.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { ListedBan } from '../../../../../people/operators/bans.ts';
import { covers, ruleOf } from '../../../../../people/operators/roles.ts';
import type {
	AccountFigures,
	AccountView,
	DaemonsView,
	InstallationView,
	KeysView,
} from '../../../../../people/portal-users/installation.ts';
import type { TrailEntry } from '../../../../../trail/questions/trail-entry.ts';
import { wordsFor } from '../../failure-words.ts';
import { type Column, factsOf, tableOf } from '../../kinds/columns.ts';
import { numberOf } from '../../kinds/list.ts';
import { fileOf, type PagedRows, paged } from '../../kinds/paged-rows.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalParts } from '../../parts.ts';
import { badge, count, emptyState, type Tone, time } from '../../pieces.ts';
import type { AnyPage, PortalCall } from '../../portal-page.ts';
import { ForbiddenError } from '../../refusals.ts';
import type { TextKey } from '../../texts.ts';
import { numbersStyle } from './plot-part.ts';
import { trailList } from './trail-pages.ts';
import { trailPart } from './trail-part.ts';

const PATH = '/portal/installation';
const PAGES = ['accounts', 'daemons', 'keys', 'audit', 'bans'] as const;
const PAGE_LENGTH = 50;
const MOST_BANS = 200;
/**
 * At most this many keys are shown, beginning with those that end first: an installation with many accounts has many
 * keys.
 */
const MOST_KEYS = 200;
/** What an account has used, as its columns name it. */
const FIGURES = ['cards', 'files', 'refused', 'failed', 'units'] as const satisfies (keyof AccountFigures)[];
const ACCOUNT_FILE = fileOf<AccountView>(
	...(['userId', 'parent', 'state'] as const),
	...FIGURES.map((name) => [name, ({ figures }: AccountView) => figures[name]] as const),
	['allowanceLeft', ({ allowance }) => allowance?.left],
	['allowanceLimit', ({ allowance }) => allowance?.limit],
);
const TONES = { ok: 'good', warning: 'busy', problem: 'bad' } as const satisfies Record<string, Tone>;
const TERM_TONES = { running: 'good', soon: 'busy', due: 'bad' } as const;
const STATE_TONES = { active: 'good', blocked: 'bad', disabled: 'plain', broken: 'bad' } as const;

const { list, detail } = pagesOf({
	section: 'installation',
	help: '/docs/portal#operators',
	style: numbersStyle,
	top: linksPart,
});

function linksPart({ say, request }: PortalCall): Html {
	const here = request.url.split('?', 1)[0];
	const link = (path: string, label: string) =>
		html`<a href="${path}"${here.endsWith(path) && html` aria-current="page"`}>${label}</a> `;
	const title = say('frame.sections.installation');
	return html`<nav class="views" aria-label="${title}">${link(PATH, title)}${PAGES.map((name) => link(`${PATH}/${name}`, say(`installation.pages.${name}`)))}</nav>
`;
}

/** Returns the pages about the installation. Returns no page if its state is not known here. */
export function installationPages(parts: Pick<PortalParts, 'installation' | 'trail'>): AnyPage[] {
	const { installation } = parts;
	if (!installation) return [];
	const accounts: PagedRows<AccountView, number> = {
		length: PAGE_LENGTH,
		ask: () => ({ list: installation.accounts, count: installation.countAccounts }),
		keyOf: ({ id }) => id,
		readKey: numberOf,
	};
	return [
		...detail(PATH, 'installation.see', {
			title: 'frame.sections.installation',
			find: () => installation.findings(),
			body: findingsPart,
		}),
		...list<AccountView>(`${PATH}/accounts`, 'installation.see', {
			title: 'installation.pages.accounts',
			...paged(accounts, ACCOUNT_FILE),
			caption: 'installation.accounts.caption',
			columns: [
				['words.account', accountName],
				['words.state', ({ state }, { say }) => badge(STATE_TONES[state], say(`installation.accounts.${state}`))],
				...FIGURES.map(figureColumn),
				['numbers.tiles.allowance', allowanceOf],
			],
			none: 'installation.accounts.none',
		}),
		...detail<DaemonsView>(`${PATH}/daemons`, 'installation.see', {
			title: 'installation.pages.daemons',
			find: () => installation.daemons(),
			body: daemonsPart,
		}),
		...detail<KeysView>(`${PATH}/keys`, 'installation.see', {
			title: 'installation.pages.keys',
			find: () => installation.keys(),
			body: keysPart,
		}),
		...list<TrailEntry>(`${PATH}/audit`, 'installation.see', {
			...trailList(({ viewer }) => parts.trail.ofInstallation(viewer.actor)),
			title: 'installation.pages.audit',
			async above(call, { isNarrowed }) {
				return !isNarrowed && trailPart(call, await installation.audit());
			},
		}),
		...banPages(installation),
	];
}

function banPages(installation: InstallationView): AnyPage[] {
	return list<ListedBan>(`${PATH}/bans`, 'installation.see', {
		title: 'installation.pages.bans',
		find: async () => ({ rows: (await installation.bans()).slice(0, MOST_BANS) }),
		caption: 'installation.bans.caption',
		columns: (place) => [
			['words.address', ({ address }) => address],
			['installation.bans.door', ({ door }) => door],
			['words.since', ({ decidedAtMs }) => new Date(decidedAtMs)],
			['installation.bans.until', ({ untilMs }) => new Date(untilMs)],
			['installation.bans.lift', ({ address }) => place('', { address }), mayLift],
		],
		none: 'installation.bans.none',
		actions: {
			'': {
				right: 'installation.change',
				submit: 'installation.bans.lift',
				tone: 'plain',
				async act(_, call) {
					if (!mayLift(call)) throw new ForbiddenError();
					const { address = '' } = call.form;
					const isLifted = await installation.lift(address, call.viewer.actor);
					const notice = call.say(isLifted ? 'installation.bans.lifted' : 'installation.bans.gone', { address });
					return { redirectTo: `${PATH}/bans`, notice };
				},
			},
		},
	});
}

/** Tells whether the viewer may lift bans. Operators need the same role for it as on the command line. */
function mayLift({ viewer }: PortalCall): boolean {
	const role = viewer.operatorRole;
	return viewer.has('installation.change') && role !== undefined && covers(role, ruleOf('ban lift').role);
}

type Findings = Awaited<ReturnType<InstallationView['findings']>>;

function findingsPart({ findings, atMs }: Findings, call: PortalCall): Html {
	const { say, language } = call;
	const inState = (state: keyof typeof TONES) => findings.filter((finding) => finding.state === state);
	const [problems, warnings] = [inState('problem'), inState('warning')];
	const isWell = problems.length + warnings.length === 0;
	const found = {
		problems: say('installation.problems', { count: problems.length }),
		warnings: say('installation.warnings', { count: warnings.length }),
	};
	// Problems come first, then warnings, each with what to do about it.
	const items = [...problems, ...warnings, ...inState('ok')].map(
		({ part, state, says: reason, told, todo }) => html`<div class="finding ${TONES[state]}">
<p>${badge(TONES[state], say(`installation.states.${state}`))} <strong>${say(`installation.parts.${part}`)}</strong>: ${wordsFor(call, { reason, told })}</p>
${todo !== undefined && html`<p>${say('installation.todo', { todo: '' })}<span lang="en">${todo}</span></p>`}</div>
`,
	);
	return html`<p class="notice ${isWell ? 'good' : problems.length > 0 ? 'bad' : 'busy'}" role="status"><strong>${isWell ? say('installation.well') : say('installation.notWell', found)}</strong></p>
<h2>${say('installation.findings')}</h2>
${items.length > 0 ? items : emptyState(say('numbers.none'))}<p><small>${say('installation.checkedAt')}: ${time(atMs, language)}</small></p>
`;
}

function accountName({ userId, parent }: AccountView, { say }: PortalCall): Html {
	return html`${userId}${parent !== undefined && html` <small>${say('installation.accounts.of', { parent })}</small>`}`;
}

function figureColumn(name: keyof AccountFigures): Column<AccountView> {
	return [`numbers.tiles.${name}` satisfies TextKey, ({ figures }) => figures[name]];
}

function allowanceOf({ allowance }: AccountView, { say, language }: PortalCall): string {
	if (!allowance) return say('numbers.unlimited');
	const limit = count(allowance.limit, language);
	return `${count(allowance.left, language)} ${say('numbers.ofLimit', { limit })}`;
}

function daemonsPart(view: DaemonsView, call: PortalCall): Html {
	const { say, language } = call;
	const dateOf = (ms: number | undefined) => (ms === undefined ? '–' : new Date(ms));
	const daemons = tableOf<DaemonsView['daemons'][number]>(
		call,
		{
			caption: 'installation.daemons.caption',
			columns: [
				['installation.daemons.daemon', ({ id }) => id],
				['words.version', ({ version }) => version ?? '–'],
				['installation.daemons.lastSign', ({ seenMs }) => dateOf(seenMs)],
				[
					'words.state',
					({ isRunning }) =>
						badge(
							isRunning ? 'good' : 'bad',
							say(isRunning ? 'installation.daemons.runs' : 'installation.daemons.gone'),
						),
				],
				['installation.daemons.jobs', ({ jobs }) => jobs],
				['installation.daemons.lease', ({ leaseUntilMs }) => dateOf(leaseUntilMs)],
			],
			none: 'installation.daemons.none',
		},
		view.daemons,
	);
	const facts = factsOf<DaemonsView>(
		call,
		[
			['installation.daemons.waiting', ({ queue }) => queue.waiting],
			['installation.daemons.jobs', ({ queue }) => queue.running],
			['installation.daemons.oldest', ({ queue }) => `${count(Math.round(queue.oldestSeconds), language)} s`],
			[
				'installation.daemons.disk',
				({ disk: { free, total } }) =>
					Number.isFinite(total)
						? say('installation.daemons.free', { free: bytes(free, language), total: bytes(total, language) })
						: say('installation.daemons.endless'),
			],
		],
		view,
	);
	const failed = tableOf<DaemonsView['failedTasks'][number]>(
		call,
		{
			caption: 'installation.daemons.failedTasks',
			columns: [
				['installation.daemons.task', ({ task }) => task],
				['installation.daemons.at', ({ atMs }) => new Date(atMs)],
			],
			none: () => html`<p>${say('installation.daemons.noneFailed')}</p>`,
		},
		view.failedTasks,
	);
	return html`${daemons}<h2>${say('installation.daemons.queue')}</h2>
${facts}<h2>${say('installation.daemons.failedTasks')}</h2>
${failed}`;
}

function bytes(value: number, language: string): string {
	const format = new Intl.NumberFormat(language, { style: 'unit', unit: 'gigabyte', maximumFractionDigits: 1 });
	return format.format(value / 1e9);
}

type Key = KeysView['active'][number];

function keysPart({ active, superseded }: KeysView, call: PortalCall): Html {
	const { say, language } = call;
	const byEnd = active.toSorted(
		(one, other) => (one.endsAtMs ?? Infinity) - (other.endsAtMs ?? Infinity) || one.id - other.id,
	);
	const table = tableOf<Key>(
		call,
		{
			caption: 'installation.keys.caption',
			columns: [
				['installation.keys.purpose', ({ purpose }) => purpose],
				['words.account', ({ account }) => account ?? say('installation.keys.all')],
				['installation.keys.generation', ({ generation }) => generation],
				['installation.keys.age', ({ ageDays }) => ageDays],
				['installation.keys.ends', endOf],
				['installation.keys.seals', ({ seals }) => seals],
			],
			none: 'numbers.none',
		},
		byEnd.slice(0, MOST_KEYS),
	);
	return html`${table}<p>${say('installation.keys.superseded', { count: count(superseded, language) })}</p>
`;
}

function endOf({ endsAtMs, term }: Key, { say, language }: PortalCall) {
	if (endsAtMs === null) return say('installation.keys.never');
	return html`${time(endsAtMs, language)} ${badge(TERM_TONES[term], say(`installation.keys.terms.${term}`))}`;
}
