// Sends forms of the portal with files, as browsers without JavaScript send them.

import { Readable } from 'node:stream';
import type { LightMyRequestResponse } from 'fastify';
import { type PortalApp, type SignedIn, tokenOn } from './portal-app.ts';

const BOUNDARY = 'x-boundary-1';

export interface MultipartForm {
	readonly fields: Readonly<Record<string, string>>;
	readonly files?: Readonly<Record<string, string>>;
	/** Runs when half of the form is sent. */
	readonly meanwhile?: () => Promise<void>;
}

/** Sends a form with fields and files to a page, with the token of the session. */
export async function sendMultipart(
	{ app }: Pick<PortalApp, 'app'>,
	person: SignedIn,
	url: string,
	{ fields, files = {}, meanwhile }: MultipartForm,
): Promise<LightMyRequestResponse> {
	const token = tokenOn((await person.get('/portal')).body);
	const parts = [
		...Object.entries({ _csrf: token, ...fields }).map(([name, value]) => partOf(`name="${name}"`, value)),
		...Object.entries(files).map(([name, content]) => partOf(`name="file"; filename="${name}"`, content)),
	];
	const payload = `${parts.join('')}--${BOUNDARY}--\r\n`;
	return app.inject({
		...{ method: 'POST', url, payload: meanwhile ? Readable.from(inHalves(payload, meanwhile)) : payload },
		headers: {
			...{ cookie: person.cookie, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
			'sec-fetch-site': 'same-origin',
		},
	});
}

async function* inHalves(payload: string, meanwhile: () => Promise<void>): AsyncGenerator<string> {
	const half = Math.floor(payload.length / 2);
	yield payload.slice(0, half);
	await meanwhile();
	yield payload.slice(half);
}

function partOf(parameters: string, content: string): string {
	return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${parameters}\r\n\r\n${content}\r\n`;
}
