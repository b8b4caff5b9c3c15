// The page on which somebody tries a file: it shows what would be replaced, and stores nothing.

import { Buffer } from 'node:buffer';
import { ServiceError } from '../../../../../base/errors.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { checkFilter } from '../../../files/filter.ts';
import { csrfField, requireToken } from '../../csrf.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { readForm } from '../../multipart.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { choiceField, textField } from '../../pieces.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../../portal-page.ts';
import { whileSignedIn } from '../../session-check.ts';
import { sizeText } from './shown-job.ts';
import { limited, MAX_TRIAL_BYTES, trialPart } from './trial-part.ts';

const PATH = '/portal/try';
const { page } = pagesOf({ section: 'try', help: '/docs/portal#try-a-file' });

type Parts = Pick<PortalParts, 'formats' | 'jobs'>;

export function tryPages(parts: Parts): PortalPage[] {
	return [
		get(PATH, 'files.see', async (call) => shown(call, parts, { result: undefined })),
		post(PATH, { right: 'files.see', isStreamed: true, hasTokenInBody: true }, (call) => tryForm(call, parts)),
	];
}

interface Tried {
	readonly filter?: string;
	readonly text?: string;
	readonly result: Html | undefined;
}

function shown(call: PortalCall, parts: Parts, { filter, text, result }: Tried): PortalAnswer {
	const { say } = call;
	const formats = [...parts.formats.keys()].map((name) => [name, name] as const);
	const size = sizeText(MAX_TRIAL_BYTES, call.language);
	const hint = say('trial.fileHint', { size });
	const body = html`<p>${say('trial.intro')}</p>
${result}
<form method="post" action="${PATH}" enctype="multipart/form-data">${csrfField(call)}
${choiceField({ name: 'filter', label: say('files.format'), value: filter ?? call.query.filter, options: formats })}
<div class="field"><label for="file">${say('words.file')}</label><input id="file" name="file" type="file" aria-describedby="file-hint">
<p class="hint" id="file-hint">${hint}</p></div>
${textField({ name: 'text', label: say('trial.text'), hint: say('trial.textHint'), value: text })}
<button>${say('trial.submit')}</button></form>
`;
	return page({ title: say('frame.sections.try'), body });
}

/**
 * Answers the form of a trial. The bytes of a file go straight through the engine. Only text that was typed is shown
 * again.
 */
async function tryForm(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const { request, viewer, say } = call;
	const { accountId } = principalOf(call);
	const fields: Record<string, string> = {};
	let result: Html | undefined;
	const run = async (source: AsyncIterable<Uint8Array>) => {
		requireToken(viewer, fields._csrf);
		const filter = checkFilter(parts, fields.filter ?? '');
		result = await trialPart(call, parts.jobs, { accountId, filter, source: limited(call, source) });
	};
	for await (const part of readForm(whileSignedIn(call, 'files.see'), request.headers['content-type'])) {
		if (part.fileName === undefined) fields[part.name] ??= await part.text();
		else if (part.fileName !== '' && !result) await run(part.bytes);
	}
	const isTyped = result === undefined;
	if (isTyped && fields.text) await run(oneOf(Buffer.from(fields.text.replaceAll('\r\n', '\n'))));
	requireToken(viewer, fields._csrf);
	if (!result) throw new ServiceError('bad-input-data', { moreInfo: say('trial.nothing') });
	return shown(call, parts, { filter: fields.filter, text: isTyped ? masked(fields.text) : undefined, result });
}

/** Returns a typed text to be shown again, or undefined if it may contain a card number, which the page must not repeat. */
function masked(text: string): string | undefined {
	return /\d[\d\s-]{10,}\d/.test(text) ? undefined : text;
}

export async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
	yield bytes;
}
