// The line with which an account puts a file into a folder over sFTP.

import { type Html, html } from '../../../../pages/html.ts';
import type { HttpRooms } from '../../../rooms.ts';
import type { OpenCall } from '../../portal-page.ts';

const DEFAULT_PORT = 2022;

/** Returns how to begin over sFTP: the command for this account, with host and port filled in. */
export function sftpHelp(
	{ texts, request }: Pick<OpenCall, 'texts' | 'request'>,
	userId: string,
	{ settings }: Pick<HttpRooms, 'settings'>,
): Html {
	return html`<p>${texts.files.bySftp}</p>
<pre tabindex="0"><code>${sftpLine(userId, hostOf(request.host, settings.baseUrl), settings.sftpPort ?? DEFAULT_PORT)}</code></pre>
<p><a href="/docs/sftp">${texts.files.aboutSftp}</a></p>
`;
}

export function sftpLine(userId: string, host: string, port: number): string {
	return `sftp -P ${port} ${quoted(`${userId}@${host}`)}`;
}

/** The host of our public address, else the one that the browser asked. */
function hostOf(asked: string, baseUrl: string): string {
	const url = URL.canParse(baseUrl) ? baseUrl : `http://${asked}`;
	return URL.canParse(url) ? new URL(url).hostname : 'localhost';
}

/** A shell takes the text as one word. */
function quoted(text: string): string {
	return /^[\w.@:[\]-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
