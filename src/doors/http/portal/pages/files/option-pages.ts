// The pages on which an account sets the options of its folders. Options are checked, can be tried on an example, and
// never overwrite a change that somebody else made meanwhile.

import { maskCardNumbers } from '../../../../../base/log/card-numbers.ts';
import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import { OptionsError, parseAccountOptions, parseOptions } from '../../../../../engine/options.ts';
import {
	ANY_FILTER,
	type FoundOptions,
	merchantOf,
	NO_VERSION,
	OptionsChangedError,
} from '../../../../../work/jobs/format-options.ts';
import { checkFilter } from '../../../files/filter.ts';
import { csrfField } from '../../csrf.ts';
import { faultPart } from '../../failure-words.ts';
import { link } from '../../kinds/columns.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { badge, choiceField, joined, notice, textField } from '../../pieces.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../../portal-page.ts';
import { notThere, RefusedFormError } from '../../refusals.ts';
import { trialPart } from './trial-part.ts';
import { oneOf } from './try-page.ts';

const PATH = '/portal/folders';
/** In URLs, this word stands for all formats. */
const ALL = 'all';
const { list, page } = pagesOf({ section: 'folders', help: '/docs/portal#options-of-folders' });

type Parts = Pick<PortalParts, 'audit' | 'formats' | 'jobs'>;

interface ListedOptions {
	/** The format as it is in URLs. */
	readonly name: string;
	readonly found: FoundOptions | undefined;
}

export function optionPages(parts: Parts): PortalPage[] {
	const { formats, jobs } = parts;
	const findAll = (call: PortalCall) =>
		Promise.all(
			[ALL, ...formats.keys()].map(async (name): Promise<ListedOptions> => {
				const scope = { accountId: principalOf(call).accountId, filter: name === ALL ? ANY_FILTER : name };
				return { name, found: await jobs.findOptions(scope) };
			}),
		);
	return [
		...list<ListedOptions>(PATH, 'folders.see', {
			title: 'frame.sections.folders',
			above: ({ say }) => html`<p>${say('options.intro')}</p>`,
			find: async (call) => ({ rows: await findAll(call) }),
			caption: 'options.caption',
			columns: [
				['files.format', ({ name }, { say }) => link(`${PATH}/${name}`, name === ALL ? say('files.allFormats') : name)],
				['options.set', setOptions],
				['words.changed', ({ found }) => found && new Date(found.updatedAt)],
			],
			none: 'options.none',
		}),
		get(`${PATH}/:filter`, 'folders.see', async (call) => {
			const found = await jobs.findOptions(scopeOf(call, parts));
			return editor(call, parts, { text: found && JSON.stringify(found.options, null, 2), found });
		}),
		post(`${PATH}/:filter`, 'folders.change', (call) => change(call, parts)),
	];
}

function setOptions({ found }: ListedOptions, { say }: PortalCall): HtmlValue {
	if (found && !found.isIntact) return badge('bad', say('options.altered'));
	return (found && Object.keys(found.options).join(', ')) || say('options.none');
}

/** Returns the account and the format that the URL names, or `ANY_FILTER` for `all`. */
function scopeOf(call: PortalCall, { formats }: Parts) {
	const { accountId } = principalOf(call);
	const { filter } = call.params;
	if (filter === ALL) return { accountId, filter: ANY_FILTER };
	if (formats.has(filter)) return { accountId, filter };
	throw notThere();
}

interface Edited {
	readonly text: string | undefined;
	readonly found: FoundOptions | undefined;
	readonly problem?: string | Html;
	/** The message above the fields. */
	readonly said?: HtmlValue;
	readonly status?: number;
}

function editor(call: PortalCall, parts: Parts, edited: Edited): PortalAnswer {
	const { viewer, form, say } = call;
	const { text = '{}', found, problem, said, status } = edited;
	const { filter } = scopeOf(call, parts);
	const formats = [...parts.formats.keys()].map((name) => [name, name] as const);
	const exampleFormat =
		filter === ANY_FILTER &&
		choiceField({ name: 'format', label: say('options.exampleFormat'), value: form.format, options: formats });
	const options = textField({
		name: 'options',
		label: say('options.text'),
		hint: say('options.textHint'),
		value: maskCardNumbers(text),
		problem,
		rows: 10,
	});
	const example = textField({
		name: 'example',
		label: say('options.example'),
		hint: say('options.exampleHint'),
		value: shownExample(form.example),
		rows: 5,
	});
	const fields = html`<form method="post" action="${PATH}/${call.params.filter}">${csrfField(call)}<input type="hidden" name="version" value="${found?.version ?? NO_VERSION}">
${options}
${example}
${exampleFormat}<div class="actions"><button name="act" value="try" class="plain">${say('options.tryFirst')}</button>
<button name="act" value="save">${say('words.save')}</button>
${found && html`<button name="act" value="remove" class="plain">${say('options.remove')}</button>`}</div></form>
`;
	const seen = html`${notice('plain', say('options.onlySeen'))}<pre tabindex="0"><code>${text}</code></pre>`;
	const altered = found && !found.isIntact && notice('bad', say('options.altered'));
	const body = html`<p>${say('options.intro')}</p>${altered}${said}${viewer.has('folders.change') ? fields : seen}`;
	const title = say('options.title', { filter: filter === ANY_FILTER ? say('files.allFormats') : filter });
	return page({ title, body, status });
}

/** Masks the card numbers of an example, because the page must not repeat them. */
function shownExample(text: string | undefined): string {
	return (text ?? '').replace(/\d[\d -]{10,}\d/g, (digits) => digits.replace(/\d/g, '•'));
}

async function change(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const { form, say, viewer } = call;
	const { audit, formats, jobs } = parts;
	const scope = scopeOf(call, parts);
	const { options: text = '', version = NO_VERSION } = form;
	const found = await jobs.findOptions(scope);
	const again = (edited: Partial<Edited>) =>
		editor(call, parts, { text, found: sameVersion(form.version, found), ...edited });
	const noted = (action: string) => ({
		version,
		alongside: (transaction: Parameters<typeof audit.record>[1]) => {
			const subject = `account ${principalOf(call).userId}`;
			const details = { filter: scope.filter };
			return audit.record({ actor: viewer.actor, action, subject, details }, transaction);
		},
	});
	const validate = (filter: string, value: unknown) => checkOptions(formats, filter, value);
	const back = `${PATH}/${call.params.filter}`;
	try {
		if (form.act === 'remove') {
			await jobs.removeOptions(scope, noted('format-options.remove'));
			return { redirectTo: back, notice: say('options.removed') };
		}
		const options = parsed(text, call);
		validate(scope.filter, options);
		if (form.act === 'try') return again({ said: await tried(call, parts, options) });
		const merchant = merchantOf(options);
		if (merchant !== undefined && merchant !== merchantOf(found?.options) && !viewer.has('cards.give'))
			return again({ problem: say('options.givesAway'), status: 400 });
		await jobs.putOptions(scope, { ...noted('format-options.put'), options, validate });
		return { redirectTo: back, notice: say('options.saved') };
	} catch (error) {
		if (error instanceof OptionsError) {
			const problem = joined(error.faults.map((each) => faultPart(call, each)));
			return again({ problem, status: 400 });
		}
		if (error instanceof RefusedFormError) return again({ problem: error.refusal.options, status: 400 });
		if (!(error instanceof OptionsChangedError)) throw error;
		const now = await jobs.findOptions(scope);
		const theirs = now ? JSON.stringify(now.options, null, 2) : say('options.none');
		const said = html`${notice('bad', say('options.conflict'))}<h2>${say('options.theirs')}</h2><pre tabindex="0"><code>${theirs}</code></pre>`;
		return again({ found: now, said, status: 409 });
	}
}

/**
 * Keeps the version with which the form was opened, so that trying options does not hide a change that somebody else
 * made.
 */
function sameVersion(version: string | undefined, found: FoundOptions | undefined): FoundOptions | undefined {
	if (version === undefined || version === (found?.version ?? NO_VERSION)) return found;
	return { options: {}, updatedAt: '', isIntact: true, ...found, version };
}

/**
 * Parses the typed JSON.
 * @throws RefusedFormError if it is not valid
 */
function parsed(text: string, { say }: PortalCall): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		// The error message quotes the JSON, which may contain anything, so only the position is shown.
		const place = /position \d+(?: \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0];
		throw new RefusedFormError({ options: say('options.notJson', { reason: place ?? 'end' }) });
	}
}

/** Checks options. Options for all formats may only be those that every format knows. @throws OptionsError */
function checkOptions(formats: Parts['formats'], filter: string, value: unknown): void {
	if (filter === ANY_FILTER) parseAccountOptions(value);
	else parseOptions(formats.get(filter)!, value);
}

async function tried(call: PortalCall, parts: Parts, options: unknown): Promise<Html> {
	const { form, say } = call;
	const { accountId, filter } = scopeOf(call, parts);
	if (!form.example) return notice('good', say('options.fits'));
	return trialPart(call, parts.jobs, {
		accountId,
		filter: filter === ANY_FILTER ? checkFilter(parts, form.format ?? '') : filter,
		instead: { filter, options },
		source: oneOf(Buffer.from(form.example.replaceAll('\r\n', '\n'))),
	});
}
