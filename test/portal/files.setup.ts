// What files.test.ts and files.slow.test.ts share.

import type { PortalApp, SignedIn } from '../helpers/portal-app.ts';

export const CSV = 'name,cardnumber,expiry\nMARIE,4111111111111111,12/30\nJOHN,4111111111111112,12/30\n';
export const JSON_ACCEPT = { accept: 'application/json' };

/** Sends a piece as the script of the page does. */
export async function sendPiece(
	parts: PortalApp,
	{ cookie, get }: SignedIn,
	piece: string | Buffer,
	{ name = 'may.csv', place = 'tokenize/CSV', offset = 0, size = Buffer.byteLength(piece) } = {},
) {
	const path = `/portal/upload/${place}`;
	const named = { ...JSON_ACCEPT, 'x-file-name': encodeURIComponent(name) };
	const asked = await get(path, named);
	const query = new URLSearchParams({ offset: String(offset), size: String(size) });
	return parts.app.inject({
		method: 'POST',
		url: `${path}?${query}`,
		payload: piece,
		headers: {
			cookie,
			...named,
			'x-csrf-token': asked.statusCode === 200 ? asked.json().csrf : 'none',
			'content-type': 'application/octet-stream',
			'sec-fetch-site': 'same-origin',
		},
	});
}
