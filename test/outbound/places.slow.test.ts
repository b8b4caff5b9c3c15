import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { fails, httpServer, openTestClient, rawServer } from '../helpers/outbound-servers.ts';

const A = 1 as AccountId;
const B = 2 as AccountId;
const SHARE = 'relay.maxInFlightPerAccount: the account has as many calls under way as it may';

test('an account whose target hangs takes its share of the places; another account’s calls go through', async (t) => {
	const hanging = await rawServer(t, (socket) => socket.resume());
	const answering = await httpServer(t, (_request, reply) => reply.end('ok'));
	const { client, call } = openTestClient(t, { maxInFlight: 4, maxInFlightPerAccount: 2 });
	const hangs = (account: AccountId) =>
		call(`http://hangs.example:${hanging.port}/`, { account, timeoutMs: 600 }).catch(({ reason }) => reason);
	const held = [hangs(A), hangs(A)];
	await fails(t, call(`http://fine.example:${answering.port}/`, { account: A }), 'too-many-calls-of-account', SHARE);
	for (let nth = 0; nth < 5; nth++) {
		t.is((await call(`http://fine.example:${answering.port}/`, { account: B })).status, 200);
	}
	t.is((await call(`http://fine.example:${answering.port}/`)).status, 200, 'a call of no account counts to the whole');
	held.push(hangs(B), hangs(B));
	await fails(t, call(`http://fine.example:${answering.port}/`, { account: 3 as AccountId }), 'too-many-calls');
	t.deepEqual(await Promise.all(held), Array(4).fill('request-timed-out'));
	t.is(client.inFlight, 0);
	t.is((await call(`http://fine.example:${answering.port}/`, { account: A })).status, 200, 'its share is free again');
});
