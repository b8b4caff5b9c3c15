// What somebody is told who has sent no file yet: a file to begin with, and the command for sFTP.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { PortalParts } from '../../parts.ts';
import type { OpenCall, PortalAnswer } from '../../portal-page.ts';
import { FILES } from './places.ts';

const DEFAULT_PORT = 2022;
/** The format of the sample file, and of the folder that a first file goes into. */
export const FIRST_FORMAT = 'CSV';
export const SAMPLE_PATH = `${FILES}/sample` as const;
const SAMPLE = 'name,cardnumber,expiry\nMARIE DUPONT,4111111111111111,12/35\nJOHN SMITH,5555555555554444,11/35\n';

/** Returns the link to a file with test cards, and what to do with it. */
export function samplePart({ say }: Pick<OpenCall, 'say'>): Html {
	return html`<p><a class="button plain" href="${SAMPLE_PATH}" data-whole>${say('files.sample')}</a></p>
<p>${say('files.sampleHint', { folder: `/tokenize/${FIRST_FORMAT}` })}</p>
`;
}

export function sendSample(): PortalAnswer {
	return {
		send: (reply) =>
			reply
				.header('cache-control', 'no-store')
				.header('content-disposition', 'attachment; filename="sample.csv"')
				.type('text/csv; charset=utf-8')
				.send(SAMPLE),
	};
}

/** Returns the help for sFTP: the command for this account, with host and port filled in. */
export function sftpHelp(
	{ say, request }: Pick<OpenCall, 'say' | 'request'>,
	userId: string,
	{ baseUrl, sftpPort = DEFAULT_PORT }: PortalParts['settings'],
): Html {
	return html`<p>${say('files.bySftp')}</p>
<pre tabindex="0"><code>sftp -P ${sftpPort} ${quoted(`${userId}@${hostOf(request.host, baseUrl)}`)}</code></pre>
<p><a href="/docs/sftp">${say('files.aboutSftp')}</a></p>
`;
}

/** Returns the host of the configured public URL, or else the host that the browser requested. */
function hostOf(asked: string, baseUrl: string): string {
	const url = URL.canParse(baseUrl) ? baseUrl : `http://${asked}`;
	return URL.canParse(url) ? new URL(url).hostname : 'localhost';
}

/** Quotes a text so that a shell reads it as one word. */
function quoted(text: string): string {
	return /^[\w.@:[\]-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
