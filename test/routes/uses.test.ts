// Tests that whoever ends a destination or an OpenPGP key learns which routes and folders name it, and that doctor warns of them.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { createKey } from '../../src/base/openpgp/keys.ts';
import { putFormatOptions } from '../../src/work/jobs/format-options.ts';
import { openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { listMissing, listUsers } from '../../src/work/routes/uses.ts';
import { databases } from '../helpers/database.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { openRouteParts, WHOSE } from '../helpers/route-parts.ts';

const BY = 'operator test';

for (const dialect of databases) {
	test(`${dialect}: routes and folders of an account and its sub-accounts are found by what they name`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { identity, destinations } = parts;
		const { account } = await parts.createCaller('agency');
		const { account: other } = await parts.createCaller('hotel');
		const desk = await identity.createAccount({ userId: 'desk', kind: 'sub-user', parent: 'agency' }, BY);
		const ownerId = account.id;
		const owner = { accountId: ownerId, ownerId, userId: 'agency' };
		const deskOwner = { accountId: desk.account.id, ownerId, userId: 'desk' };
		const keys = openPgpKeys(parts);
		for (const name of ['own', 'bank']) await keys.put(owner, name, await createKey(name, 400), BY);
		const secrets = { password: 'x' };
		const at = { host: '127.0.0.1', port: 22, userName: 'agency', hostKeys: [], certificates: [], folder: '' };
		const put = (whose: typeof owner, name: string) =>
			destinations.put(whose, { destination: { name, kind: 'sftp', ...at }, secrets }, BY);
		await put(owner, 'bank');
		await put({ ...owner, accountId: other.id, ownerId: other.id, userId: 'hotel' }, 'bank');
		const putRoute = async (whose: typeof owner, name: string, more: object) => {
			const document = {
				...{ name, from: { drop: '/tokenized/CSV' }, do: { operation: 'none' }, to: { destination: 'bank' } },
				...more,
			};
			await parts.routes.put(whose, await parts.routes.read(whose, JSON.stringify(document)), BY);
		};
		const pgp = { decrypt: { with: 'own' }, encrypt: { for: ['own'], signWith: 'own' } };
		await putRoute(owner, 'both', { do: { operation: 'none', ...pgp } });
		await putRoute(deskOwner, 'of-desk', { from: { destination: 'bank' }, to: { drop: '/tokenized/CSV' } });
		await putRoute(owner, 'paused', { paused: true });
		await putRoute(owner, 'neither', { to: { drop: '/tokenized/GBT' } });
		const options = { pgp: { accept: true, verifiedBy: ['own'] } };
		await putFormatOptions(parts, { accountId: ownerId, filter: 'GBT' }, options, () => {});

		const destination = { kind: 'destination', name: 'bank' } as const;
		const key = { kind: 'key', name: 'own' } as const;
		const routes = ['route agency/both', 'route agency/paused', 'route desk/of-desk'];
		t.deepEqual(await listUsers(parts, ownerId, destination), routes);
		t.deepEqual(await listUsers(parts, ownerId, key), ['route agency/both', 'format-options agency/GBT']);
		t.deepEqual(await listUsers(parts, ownerId, { ...key, name: 'bank' }), []);
		t.deepEqual(await listUsers(parts, other.id, destination), []);
		t.deepEqual(await listMissing(parts), []);
		t.true(await destinations.remove(owner, 'bank', BY));
		await keys.revoke(owner, 'own', BY);
		t.deepEqual(await listMissing(parts), [
			{ ...destination, by: 'route agency/both' },
			{ ...key, by: 'route agency/both' },
			{ ...destination, by: 'route desk/of-desk' },
			{ ...key, by: 'format-options agency/GBT' },
		]);
	});
}

test('commands that end a destination or a key say what fails then, and doctor says it afterwards', async (t) => {
	const { run, put, route } = await openRouteParts(t);
	const documents = makeFolder(t);
	const [file, password] = [join(documents, 'bank.json'), join(documents, 'password')];
	writeFileSync(file, JSON.stringify({ name: 'bank', host: '127.0.0.1', port: 22, userName: 'agency' }));
	writeFileSync(password, 'secret\n');
	const putBank = () => run('destination', 'put', ...WHOSE, '--file', file, '--password-file', password);
	await putBank();
	await run('pgp-key', 'create', ...WHOSE, '--name', 'own');
	const work = { operation: 'none', decrypt: { with: 'own' } };
	await put({ drop: '/tokenized/CSV' }, work, { destination: 'bank' });
	const found = async () => {
		const { json } = await run('doctor');
		return json.findings.filter(({ part }: { part: string }) => part === 'routes');
	};
	t.like(await found(), [{ state: 'ok' }]);
	const removed = await run('destination', 'remove', ...WHOSE, '--name', 'bank');
	t.like(removed.json, { removed: true, usedBy: ['route agency/r'] });
	await putBank();
	const told = await run.text('destination', 'remove', ...WHOSE, '--name', 'bank');
	t.is(told.stdout, 'Removed. What names it fails until it is put again: route agency/r.\n');
	const revoked = await run('pgp-key', 'revoke', ...WHOSE, '--name', 'own');
	t.like(revoked.json, { name: 'own', usedBy: ['route agency/r'] });
	t.like(await found(), [
		{
			state: 'warning',
			says: 'route agency/r names the destination bank, which is removed or revoked: its files fail',
		},
		{ state: 'warning', says: 'route agency/r names the key own, which is removed or revoked: its files fail' },
	]);
	await route('pause', '--name', 'r');
	t.like(await found(), [{ state: 'ok' }]);
	t.like((await run('destination', 'remove', ...WHOSE, '--name', 'bank')).json, { removed: false });
});
