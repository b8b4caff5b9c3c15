// Opens hosted forms and submits them, as a browser does with and without a script.

import type { LightMyRequestResponse } from 'fastify';
import type { Caller, HttpApp } from './http-app.ts';

export const CARD_FORM = '/api/payments/capturecard';
export const CVV_FORM = '/api/payments/capturecvv';

/** What a guest types; every number is a public test number. */
export const TYPED = {
	cardNumber: '4111 1111 1111 1111',
	expiry: '12 / 30',
	cvv: '123',
	nameOnCard: 'MARIE DUPONT',
};

/** Opens a form with the API key of the caller, and returns its page. */
export async function openForm(caller: Caller, query: Readonly<Record<string, string>> = {}, path = CARD_FORM) {
	const page = await caller.inject('GET', `${path}?${new URLSearchParams(query)}`);
	const id = /name="form" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
	return { page, id };
}

/** Returns the data that the page gives to its script. */
export function dataOf({ body }: LightMyRequestResponse) {
	return JSON.parse(/id="page-data">([^<]+)</.exec(body)?.[1] ?? '{}');
}

/** Submits a form as its script does, or with `isPlain` as a browser without a script. */
export function submitForm(
	{ app }: Pick<HttpApp, 'app'>,
	form: { readonly id: string; readonly path?: string; readonly isPlain?: boolean },
	typed: Readonly<Record<string, string>> = TYPED,
) {
	return app.inject({
		method: 'POST',
		url: form.path ?? CARD_FORM,
		headers: {
			'content-type': 'application/x-www-form-urlencoded',
			accept: form.isPlain ? 'text/html,application/xhtml+xml' : 'application/json',
		},
		payload: new URLSearchParams({ form: form.id, ...typed }).toString(),
	});
}
