// The pages on which an account sets the options of its folders. Options are checked, can be tried on an example, and
// never overwrite a change that somebody else made meanwhile.

import { ServiceError } from '../../../../../base/errors.ts';
import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import { OptionsError, parseAccountOptions, parseOptions } from '../../../../../engine/options.ts';
import {
	ANY_FILTER,
	type FoundOptions,
	findFormatOptions,
	NO_VERSION,
	OptionsChangedError,
	putFormatOptions,
	removeFormatOptions,
} from '../../../../../work/jobs/format-options.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { csrfField } from '../../csrf.ts';
import { badge, choiceField, notice, table, textField, time } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { principalOf } from './account-of.ts';
import { trialPart } from './trial-part.ts';
import { filterOf, oneOf } from './try-page.ts';

const PATH = '/portal/folders';
/** In URLs, this word stands for all formats. */
const ALL = 'all';
const HELP = '/docs/portal#options-of-folders';

export function foldersPages(rooms: HttpRooms): PortalPage[] {
	return [
		{ path: PATH, method: 'GET', right: 'folders.see', handle: (call) => listOptions(call, rooms) },
		{
			path: `${PATH}/:filter`,
			method: 'GET',
			right: 'folders.see',
			async handle(call) {
				const found = await findOptions(call, rooms);
				return editor(call, rooms, { text: found && JSON.stringify(found.options, null, 2), found });
			},
		},
		{ path: `${PATH}/:filter`, method: 'POST', right: 'folders.change', handle: (call) => change(call, rooms) },
	];
}

async function listOptions(call: PortalCall, rooms: HttpRooms): Promise<PortalAnswer> {
	const { texts, language } = call;
	const { options } = texts.files;
	const rows: HtmlValue[][] = [];
	for (const name of [ALL, ...rooms.formats.keys()]) {
		const found = await findFormatOptions(rooms, principalOf(call).accountId, name === ALL ? ANY_FILTER : name);
		const names = found && Object.keys(found.options).join(', ');
		rows.push([
			html`<a href="${PATH}/${name}">${name === ALL ? options.all : name}</a>`,
			found && !found.isIntact ? badge('bad', options.altered) : names || options.none,
			found ? time(found.updatedAt, language) : '',
		]);
	}
	const body = html`<p>${options.intro}</p>
${table({ caption: options.caption, head: [texts.files.format, options.set, options.changed], rows })}`;
	return { page: { title: texts.frame.sections.folders, section: 'folders', body, help: HELP } };
}

/** Returns the format that the URL names, or `ANY_FILTER` for `all`. */
function scopeOf({ params }: PortalCall, { formats }: HttpRooms): string {
	if (params.filter === ALL) return ANY_FILTER;
	if (formats.has(params.filter)) return params.filter;
	throw new ServiceError('uri-not-found');
}

function findOptions(call: PortalCall, rooms: HttpRooms): Promise<FoundOptions | undefined> {
	return findFormatOptions(rooms, principalOf(call).accountId, scopeOf(call, rooms));
}

interface Edited {
	readonly text: string | undefined;
	readonly found: FoundOptions | undefined;
	readonly problem?: string;
	/** The message above the fields. */
	readonly said?: HtmlValue;
	readonly status?: number;
}

function editor(
	call: PortalCall,
	rooms: HttpRooms,
	{ text = '{}', found, problem, said, status }: Edited,
): PortalAnswer {
	const { viewer, form, texts } = call;
	const { options } = texts.files;
	const filter = scopeOf(call, rooms);
	const shown = filter === ANY_FILTER ? options.all : filter;
	const action = `${PATH}/${call.params.filter}`;
	const title = fillText(options.title, { filter: shown });
	const altered = found && !found.isIntact && notice('bad', options.altered);
	const mayChange = viewer.has('folders.change');
	const formats = [...rooms.formats.keys()].map((name) => [name, name] as const);
	const exampleFormat =
		filter === ANY_FILTER &&
		choiceField({ name: 'format', label: options.exampleFormat, value: form.format, options: formats });
	const fields = html`<form method="post" action="${action}">${csrfField(call)}<input type="hidden" name="version" value="${found?.version ?? NO_VERSION}">
${textField({ name: 'options', label: options.text, hint: options.textHint, value: text, problem, rows: 10 })}
${textField({ name: 'example', label: options.example, hint: options.exampleHint, value: shownExample(form.example), rows: 5 })}
${exampleFormat}<div class="actions"><button name="act" value="try" class="plain">${options.tryFirst}</button>
<button name="act" value="save">${options.save}</button>
${found && html`<button name="act" value="remove" class="plain">${options.remove}</button>`}</div></form>
`;
	const body = html`<p>${options.intro}</p>${altered}${said}${
		mayChange ? fields : html`${notice('plain', options.onlySeen)}<pre tabindex="0"><code>${text}</code></pre>`
	}`;
	return { page: { title, section: 'folders', body, help: HELP }, status };
}

/** Masks the card numbers of an example, because the page must not repeat them. */
function shownExample(text: string | undefined): string {
	return (text ?? '').replace(/\d[\d -]{10,}\d/g, (digits) => digits.replace(/\d/g, '•'));
}

async function change(call: PortalCall, rooms: HttpRooms): Promise<PortalAnswer> {
	const { form, texts, viewer } = call;
	const { options } = texts.files;
	const filter = scopeOf(call, rooms);
	const { accountId, userId } = principalOf(call);
	const scope = { accountId, filter };
	const text = form.options ?? '';
	const found = await findOptions(call, rooms);
	const subject = `account ${userId}`;
	const note = (action: string) => (transaction: Parameters<typeof rooms.audit.record>[1]) =>
		rooms.audit.record({ actor: viewer.actor, action, subject, details: { filter } }, transaction);
	try {
		if (form.act === 'remove') {
			await removeFormatOptions(rooms, accountId, filter, note('format-options.remove'), form.version ?? NO_VERSION);
			return { redirectTo: `${PATH}/${call.params.filter}`, notice: options.removed };
		}
		const value = parsed(text, options.notJson);
		validate(rooms, filter, value);
		if (form.act === 'try')
			return editor(call, rooms, {
				text,
				found: sameVersion(form.version, found),
				said: await tried(call, rooms, value),
			});
		const merchant = merchantOf(value);
		if (merchant !== undefined && merchant !== merchantOf(found?.options) && !viewer.has('cards.give'))
			return editor(call, rooms, {
				text,
				found: sameVersion(form.version, found),
				problem: options.givesAway,
				status: 400,
			});
		const check = (each: string, given: unknown) => validate(rooms, each, given);
		await putFormatOptions(rooms, scope, value, check, note('format-options.put'), form.version ?? NO_VERSION);
		return { redirectTo: `${PATH}/${call.params.filter}`, notice: options.saved };
	} catch (error) {
		if (error instanceof OptionsError) {
			return editor(call, rooms, {
				text,
				found: sameVersion(form.version, found),
				problem: error.problems.join('; '),
				status: 400,
			});
		}
		if (!(error instanceof OptionsChangedError)) throw error;
		const now = await findOptions(call, rooms);
		const theirs = html`<h2>${options.theirs}</h2><pre tabindex="0"><code>${now ? JSON.stringify(now.options, null, 2) : options.none}</code></pre>`;
		return editor(call, rooms, {
			text,
			found: now,
			said: html`${notice('bad', options.conflict)}${theirs}`,
			status: 409,
		});
	}
}

/** Returns the account to which options give the cards of files. */
function merchantOf(options: unknown): unknown {
	return (options as { readonly merchantId?: unknown } | undefined)?.merchantId;
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
 * @throws OptionsError if it is not valid
 */
function parsed(text: string, problem: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		// The error message quotes the JSON, which may contain anything, so only the position is shown.
		const place = /position \d+(?: \(line \d+ column \d+\))?/.exec((error as Error).message)?.[0];
		throw new OptionsError([fillText(problem, { reason: place ?? 'end' })]);
	}
}

/** Checks options. Options for all formats may only be those that every format knows. @throws OptionsError */
function validate({ formats }: HttpRooms, filter: string, value: unknown): void {
	if (filter === ANY_FILTER) parseAccountOptions(value);
	else parseOptions(formats.get(filter)!, value);
}

async function tried(call: PortalCall, rooms: HttpRooms, value: unknown): Promise<Html> {
	const { form, texts } = call;
	const filter = scopeOf(call, rooms);
	if (!form.example) return notice('good', texts.files.options.fits);
	return trialPart(call, rooms, {
		accountId: principalOf(call).accountId,
		filter: filter === ANY_FILTER ? filterOf(form.format, rooms) : filter,
		instead: { filter, options: value },
		source: oneOf(Buffer.from(form.example.replaceAll('\r\n', '\n'))),
	});
}
