// Forms of the portal with files, as browsers without JavaScript send them.

import type { LightMyRequestResponse } from 'fastify';
import { type PortalTestRooms, type SignedIn, tokenOn } from './portal-rooms.ts';

const BOUNDARY = 'x-boundary-1';

/** Sends a form with fields and files to a page, with the token of the session. */
export async function sendMultipart(
	{ app }: Pick<PortalTestRooms, 'app'>,
	person: SignedIn,
	url: string,
	{ fields, files = {} }: { fields: Readonly<Record<string, string>>; files?: Readonly<Record<string, string>> },
): Promise<LightMyRequestResponse> {
	const token = tokenOn((await person.get('/portal')).body);
	const parts = [
		...Object.entries({ _csrf: token, ...fields }).map(([name, value]) => partOf(`name="${name}"`, value)),
		...Object.entries(files).map(([name, content]) => partOf(`name="file"; filename="${name}"`, content)),
	];
	return app.inject({
		...{ method: 'POST', url, payload: `${parts.join('')}--${BOUNDARY}--\r\n` },
		headers: {
			...{ cookie: person.cookie, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
			'sec-fetch-site': 'same-origin',
		},
	});
}

function partOf(parameters: string, content: string): string {
	return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}\r\n`;
}
