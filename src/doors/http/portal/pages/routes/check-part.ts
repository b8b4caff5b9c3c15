// Shows what was found when a route was tried: whether both ends were reached, and which files it would take.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { CheckedEnd, CheckedRoute } from '../../../../../work/routes/runs/check-route.ts';
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
	/** Why the file is left; undefined for one that is taken. */
	readonly reason?: string;
}

export function checkPart(call: PortalCall, { from, to, warnings, isOk }: CheckedRoute): Html {
	const { say } = call;
	const files: readonly CheckedFile[] = [...from.files.slice(0, MOST_FILES), ...from.left];
	const unnamed = from.files.length - Math.min(from.files.length, MOST_FILES) + from.leftCount - from.left.length;
	return html`<section id="checked">${notice(isOk ? 'good' : 'bad', say(isOk ? 'routes.checkGood' : 'routes.checkBad'))}
<ul>${endItem(call, 'routes.from', from)}${endItem(call, 'routes.to', to)}</ul>
${warnings.map((text) => notice('bad', text))}${
	from.reason === null &&
	html`<p>${say('routes.checkListed', { listed: from.listed, taken: from.files.length })}</p>
${files.length > 0 && tableOf(call, FILES, files)}${unnamed > 0 && html`<p>${say('routes.checkMore', { count: unnamed })}</p>`}`
}</section>
`;
}

function endItem({ say }: PortalCall, key: 'routes.from' | 'routes.to', { reason, facts }: CheckedEnd): Html {
	return html`<li>${say(key)} ${Object.values(facts).join(' ')}: ${reason ?? say('routes.reached')}</li>\n`;
}

const FILES = {
	caption: 'routes.checkCaption',
	columns: [
		['routes.file', ({ path }: CheckedFile) => path],
		['routes.size', ({ size }: CheckedFile, { language }: PortalCall) => sizeText(size, language)],
		['routes.taken', ({ reason }: CheckedFile, { say }: PortalCall) => reason ?? say('routes.isTaken')],
	],
	none: 'routes.noFiles',
} as const;
