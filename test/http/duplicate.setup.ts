// What duplicate.test.ts and duplicate.slow.test.ts share.

import test from 'ava';
import { asJson, storeCard, VISA } from '../helpers/card-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';

export const DUPLICATE = '/api/payments/paycard/duplicate';
export const NETWORK = '/api/payments/paycard/networkToken';

export const query = test.macro(async (t, path: string, search: string, status: number, error: object | string) => {
	const parts = await openHttpApp(t);
	const demo = await parts.createCaller('demo');
	const card = await storeCard(demo);
	const response = await demo.inject('POST', `${path}?${search.replace('TOKEN', card)}`, asJson);
	t.is(response.statusCode, status, response.body);
	t.like(response.json(), error as object);
	t.false(response.body.includes(VISA));
});

export const NO_TOKEN = { code: -1003, moreInfo: null };
