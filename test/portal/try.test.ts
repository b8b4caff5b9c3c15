// Tests that a file can be tried: its user is shown what would happen, and nothing is stored anywhere.

import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { openPortalApp, type PortalApp } from '../helpers/portal-app.ts';
import { sendMultipart } from '../helpers/portal-forms.ts';

const CSV = 'name,cardnumber,expiry\nMARIE,4111111111111111,12/30\nJOHN,4111111111111112,12/30\n';

/** Returns everything that is stored: a hash of each table, and the blobs on disk. */
async function storedIn({ database, drops }: PortalApp): Promise<Record<string, string>> {
	const found: Record<string, string> = {};
	const tables: { name: string }[] = await database.knex('sqlite_master').where({ type: 'table' }).select('name');
	for (const { name } of tables) {
		const rows = await database.knex(name).select('*');
		found[name] = createHash('sha256').update(JSON.stringify(rows)).digest('hex');
	}
	const blobs: string[] = [];
	for await (const some of drops.store.blobs.list()) blobs.push(JSON.stringify(some));
	return { ...found, ' disk': blobs.join() };
}

const attempts = {
	'a file': (parts: PortalApp, person: never) =>
		sendMultipart(parts, person, '/portal/try', { fields: { filter: 'CSV', text: '' }, files: { 'may.csv': CSV } }),
	text: (parts: PortalApp, person: never) =>
		sendMultipart(parts, person, '/portal/try', { fields: { filter: 'CSV', text: CSV }, files: { '': '' } }),
};

for (const [what, attempt] of Object.entries(attempts)) {
	test(`${what} is tried, and every table and the disk stay as they were`, async (t: ExecutionContext) => {
		const parts = await openPortalApp(t);
		const viewer = await parts.signIn('viewer');
		await viewer.get('/portal/try');
		const before = await storedIn(parts);
		t.true(Object.keys(before).length > 20);
		const { statusCode, body } = await attempt(parts, viewer as never);
		t.is(statusCode, 200, body);
		t.true(body.includes('Cards that would get a token: 1. Refused: 1.'));
		t.true(body.includes('•••• 1111') && body.includes('•••• 1112'));
		t.false(/4111\d{12}/.test(body));
		t.deepEqual(await storedIn(parts), before);
	});
}

test('a file that would be refused is told why', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const send = (fields: Record<string, string>, files?: Record<string, string>) =>
		sendMultipart(parts, clerk, '/portal/try', { fields: { filter: 'CSV', ...fields }, files });
	t.true((await send({ text: 'a,b\n"' })).body.includes('The file would be refused'));
	t.true((await send({}, { 'x.csv': 'a'.repeat(5 * 1024 * 1024) })).body.includes('too large to be tried'));
	t.is((await send({ text: '' })).statusCode, 400);
	t.is((await send({ filter: 'NONE', text: 'a' })).statusCode, 400);
	t.is((await send({ _csrf: 'x', text: CSV })).statusCode, 403);
	const shown = (await send({ text: 'name\n<b>"x"</b>\n' })).body;
	t.true(shown.includes('&lt;b&gt;') && !shown.includes('<b>'));
	t.is((await (await parts.signIn('operator')).get('/portal/try')).statusCode, 403);
});
