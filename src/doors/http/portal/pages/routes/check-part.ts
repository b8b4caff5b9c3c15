// Shows what was found when a route was tried: whether both ends were reached, and which files it would take.

import type { Told } from '../../../../../base/errors.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { CheckedEnd, CheckedRoute } from '../../../../../work/routes/runs/check-route.ts';
import { whyPart } from '../../failure-words.ts';
import { tableOf } from '../../kinds/columns.ts';
import { notice } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { sizeText } from '../files/shown-job.ts';

/** A partner that does not answer within this time counts as not reached. */
export const CHECK_MS = 20_000;
/** Of the files that are taken, so many are named. */
const MOST_FILES = 50;

interface CheckedFile {
	readonly path: string;
	readonly size: number;
	/** Why the file is left; both are absent for one that is taken. */
	readonly reason?: string;
	readonly told?: Told;
}

export function checkPart(call: PortalCall, { from, to, warnings, isOk }: CheckedRoute): Html {
	const { say } = call;
	const files: readonly CheckedFile[] = [...from.files.slice(0, MOST_FILES), ...from.left];
	const unnamed = from.files.length - Math.min(from.files.length, MOST_FILES) + from.leftCount - from.left.length;
	return html`<section id="checked">${notice(isOk ? 'good' : 'bad', say(isOk ? 'routes.checkGood' : 'routes.checkBad'))}
<ul>${endItem(call, 'routes.from', from)}${endItem(call, 'routes.to', to)}</ul>
${warnings.map((warning) => notice('bad', whyPart(call, warning)))}${
	from.failure === null &&
	html`<p>${say('routes.checkListed', { listed: from.listed, taken: from.files.length })}</p>
${files.length > 0 && tableOf(call, FILES, files)}${unnamed > 0 && html`<p>${say('routes.checkMore', { count: unnamed })}</p>`}`
}</section>
`;
}

function endItem(call: PortalCall, key: 'routes.from' | 'routes.to', { failure, facts }: CheckedEnd): Html {
	const { say } = call;
	const found = whyPart(call, failure) ?? say('routes.reached');
	return html`<li>${say(key)} ${Object.values(facts).join(' ')}: ${found}</li>\n`;
}

const FILES = {
	caption: 'routes.checkCaption',
	columns: [
		['words.file', ({ path }: CheckedFile) => path],
		['words.size', ({ size }: CheckedFile, { language }: PortalCall) => sizeText(size, language)],
		[
			'routes.taken',
			({ reason, told }: CheckedFile, call: PortalCall) =>
				reason === undefined ? call.say('words.yes') : whyPart(call, { reason, told }),
		],
	],
	none: 'words.none',
} as const;
