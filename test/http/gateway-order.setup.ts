// What gateway-order.test.ts and gateway-order.slow.test.ts share.

import test from 'ava';
import { CHARGE, openPayer, operate } from '../helpers/gateway-calls.ts';

export const refuses = test.macro(
	async (t, change: object, moreInfo: RegExp, more: { status?: number; query?: string } = {}) => {
		const { status = 400, query } = more;
		const { parts, caller } = await openPayer(t);
		const response = await operate(caller, { ...CHARGE, ...change }, query);
		t.is(response.statusCode, status, response.body);
		const error = response.json();
		t.is(error.message, status === 400 ? 'Bad input data' : error.message);
		t.regex(String(error.moreInfo), moreInfo);
		t.deepEqual(await parts.database.knex('gateway_attempts'), [], 'nothing is journalled');
	},
);
