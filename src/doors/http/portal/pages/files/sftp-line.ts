// The command with which an account connects over sFTP.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { PortalParts } from '../../parts.ts';
import type { OpenCall } from '../../portal-page.ts';

const DEFAULT_PORT = 2022;

/** Returns the help for sFTP: the command for this account, with host and port filled in. */
export function sftpHelp(
	{ say, request }: Pick<OpenCall, 'say' | 'request'>,
	userId: string,
	{ baseUrl, sftpPort = DEFAULT_PORT }: PortalParts['settings'],
): Html {
	return html`<p>${say('files.bySftp')}</p>
<pre tabindex="0"><code>${sftpLine(userId, hostOf(request.host, baseUrl), sftpPort)}</code></pre>
<p><a href="/docs/sftp">${say('files.aboutSftp')}</a></p>
`;
}

function sftpLine(userId: string, host: string, port: number): string {
	return `sftp -P ${port} ${quoted(`${userId}@${host}`)}`;
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
