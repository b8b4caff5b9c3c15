// Those tests of gateway-order.test.ts that take long.

import test from 'ava';
import { json, storeCard } from '../helpers/card-calls.ts';
import { CHARGE, openPayer, operate } from '../helpers/gateway-calls.ts';
import type { Caller } from '../helpers/http-app.ts';
import { refuses } from './gateway-order.setup.ts';

test('an amount in words', refuses, { Amount: 'ten' }, /Amount: expected an amount in major units/);
test('an amount with too many digits', refuses, { Amount: '99999999999999' }, /Amount: is too large/);
test('no operation', refuses, { OperationType: null }, /OperationType: is required/);
test('spec §7.4: no reference to capture', refuses, { OperationType: 'Capture' }, /GatewayReference: is required/);
test('credentials that are not kept', refuses, {}, /credentialsId: no such credentials/, {
	query: '?credentialsId=mine',
});

test('a token of another kind is not found, one of another account not accessible', async (t) => {
	const { parts, caller } = await openPayer(t);
	const block = await caller.inject('POST', '/api/datablocks', json({ Payload: 'a note' }));
	const asked = (who: Caller, CardToken: string) => operate(who, { ...CHARGE, Card: null, CardToken });
	const kind = await asked(caller, block.json().Token);
	t.is(kind.statusCode, 404);
	t.is(kind.json().message, 'Uri not found');
	const token = await storeCard(caller);
	const stranger = await parts.createCaller('stranger');
	t.is((await asked(stranger, token)).statusCode, 401);
	t.is((await asked(caller, token)).statusCode, 200);
});
