// Tests the list of the calls of an account over HTTP: what `GET /api/requests` has, narrowed, page by page and as a file.

import test, { type ExecutionContext } from 'ava';
import type { LoggedCall } from '../../src/doors/http/server/call-log.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

const CALLS = '/portal/calls';
const CALL: Omit<LoggedCall, 'time' | 'id'> = {
	method: 'GET',
	route: '/api/payments/paycard/:token/meta',
	status: 200,
	outcome: 'complete',
	message: null,
	moreInfo: null,
	credential: 'api-key 7',
};
const idOf = (n: number) => `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`;

async function open(t: ExecutionContext, dialect: (typeof databases)[number], count: number) {
	const parts = await openPortalApp(t, dialect);
	const manager = await parts.signIn('manager');
	const owner = manager.viewer.account!.id;
	for (let n = 1; n <= count; n++) {
		const ending = [
			{},
			{ status: 404, message: 'not found', moreInfo: 'no such token' },
			{ outcome: 'caller-gone' as const },
		];
		parts.callLog.note(owner, { ...CALL, ...ending[n % 3], id: idOf(n) });
	}
	// Listing writes them, so that the portal's own log of calls finds them.
	await parts.callLog.list(owner, { from: 0, num: 1 });
	const ids = (body: string) => [...body.matchAll(/<code>[0-9a-f-]+(\d{6})<\/code>/g)].map(([, id]) => Number(id));
	return { parts, manager, ids, owner };
}

for (const dialect of databases) {
	test(`${dialect}: calls are listed newest first, in pages forwards and backwards, with how they ended`, async (t) => {
		const { manager, ids } = await open(t, dialect, 120);
		const first = (await manager.get(CALLS)).body;
		t.deepEqual(
			ids(first),
			Array.from({ length: 50 }, (_, n) => 120 - n),
		);
		t.regex(first, /120 found\./);
		t.regex(first, /GET \/api\/payments\/paycard\/:token\/meta/);
		t.regex(first, /404 with an error/);
		t.regex(first, /not found: no such token/);
		t.regex(first, /200 not sent whole/);
		const linkIn = (body: string, text: string) => new RegExp(`href="([^"]+)"[^>]*>${text}<`).exec(body)![1];
		const second = (await manager.get(linkIn(first, 'Next page'))).body;
		t.deepEqual([ids(second)[0], ids(second).at(-1)], [70, 21]);
		const third = (await manager.get(linkIn(second, 'Next page'))).body;
		t.deepEqual([ids(third)[0], ids(third).at(-1)], [20, 1]);
		t.notRegex(third, /Next page</);
		t.deepEqual(ids((await manager.get(linkIn(third, 'Previous page'))).body), ids(second));
		t.deepEqual(ids((await manager.get(linkIn(second, 'Previous page'))).body), ids(first));
	});
}

test('calls are narrowed by how they ended and by a text, and all that fit are had as a file', async (t) => {
	const { manager, ids } = await open(t, 'sqlite', 600);
	const failed = ids((await manager.get(`${CALLS}?end=failed`)).body);
	t.is(failed.length, 50);
	t.true(failed.every((n) => n % 3 === 1));
	t.deepEqual(ids((await manager.get(`${CALLS}?text=${idOf(77)}`)).body), [77]);
	t.deepEqual(ids((await manager.get(`${CALLS}?end=cut&text=no+such`)).body), []);
	const csv = (await manager.get(`${CALLS}/csv?text=no+such+token`)).body;
	const lines = csv.trim().split('\r\n');
	t.is(lines[0], 'id,time,method,route,status,outcome,message,moreInfo,credential');
	t.is(lines.length, 201);
	t.regex(
		lines[1],
		/^01900000-0000-7000-8000-000000000598,2.*Z,GET,.*,404,complete,not found,no such token,api-key 7$/,
	);
});

test('an account sees its own calls only, and a clerk without the right sees none', async (t) => {
	const { parts, manager, ids } = await open(t, 'sqlite', 3);
	const other = (await parts.signIn('manager', { account: 'hotel' })).viewer.account!.id;
	parts.callLog.note(other, { ...CALL, id: idOf(9) });
	await parts.callLog.list(other, { from: 0, num: 1 });
	t.deepEqual(ids((await manager.get(CALLS)).body), [3, 2, 1]);
	const clerk = await parts.signIn('clerk');
	t.is((await clerk.get(CALLS)).statusCode, 403);
});

test('a card number that is looked for is not looked for', async (t) => {
	const { manager } = await open(t, 'sqlite', 1);
	const { body } = await manager.get(`${CALLS}?text=4111111111111111`);
	t.notRegex(body, /4111111111111111/);
	t.regex(body, /card number/);
});
