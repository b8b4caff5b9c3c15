import { createSecretKey, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { AccountId } from '../../src/database/ids.ts';
import { EnvironmentMismatchError, type KeyRing, openKeyRing } from '../../src/keys/key-ring.ts';
import { openEnvRootKey } from '../../src/keys/providers/env.ts';
import { createRootKeyFile, openFileRootKey } from '../../src/keys/providers/file.ts';
import { localRootKey } from '../../src/keys/providers/local.ts';
import { RootKeyError } from '../../src/keys/root-key.ts';
import { SealError, seal, unseal } from '../../src/keys/seal.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';

const ACCOUNT = 7 as AccountId;
const material = () => randomBytes(32);
const folder = (t: ExecutionContext) => {
	const path = mkdtempSync(join(tmpdir(), 'tokendrop-keys-'));
	t.teardown(() => rmSync(path, { recursive: true }));
	return path;
};

for (const dialect of databases) {
	test(`${dialect}: keys are made on first use, differ by purpose and account, and survive a restart`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const root = material();
		const open = () => openKeyRing({ database, root: localRootKey(Buffer.from(root), 'test'), environment: 'sandbox' });
		const ring = await open();
		const keys = [
			await ring.current('data', ACCOUNT),
			await ring.current('data', 8 as AccountId),
			await ring.current('cvv', ACCOUNT),
		];
		t.is(new Set(keys.map((key) => key.secret.export().toString('hex'))).size, 3);
		const again = await (await open()).current('data', ACCOUNT);
		t.true(again.secret.equals(keys[0].secret));
	});

	test(`${dialect}: two daemons that start at once agree on every key`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const root = material();
		const rings = await Promise.all(
			Array.from({ length: 4 }, () =>
				openKeyRing({ database, root: localRootKey(Buffer.from(root), 'test'), environment: 'sandbox' }),
			),
		);
		const keys = await Promise.all(rings.map((ring) => ring.current('data', ACCOUNT)));
		t.is(new Set(keys.map((key) => key.secret.export().toString('hex'))).size, 1);
	});

	test(`${dialect}: what an older generation sealed still opens after every kind of rotation`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const ring = await openKeyRing({ database, root: localRootKey(material(), 'old'), environment: 'sandbox' });
		const before = await ring.current('data', ACCOUNT);
		const sealed = seal(before.secret, Buffer.from('content'), Buffer.from('place'));
		const after = await ring.rotate('data', ACCOUNT);
		t.is(after.generation, 2);
		t.is((await ring.current('data', ACCOUNT)).id, after.id);
		const newRoot = material();
		await ring.rotateEnvironmentKey(localRootKey(Buffer.from(newRoot), 'new'));
		const fresh: KeyRing = await openKeyRing({
			database,
			root: localRootKey(newRoot, 'new'),
			environment: 'sandbox',
		});
		const old = await fresh.byId(before.id);
		t.is(unseal(old.secret, sealed, Buffer.from('place')).toString(), 'content');
		await fresh.check();
	});
}

test('a wrong master key is refused by name, and nothing is made up instead', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	await openKeyRing({ database, root: localRootKey(material(), 'right'), environment: 'sandbox' });
	await t.throwsAsync(
		openKeyRing({ database, root: localRootKey(material(), 'file wrong.key'), environment: 'sandbox' }),
		{ instanceOf: RootKeyError, message: /file wrong\.key.*not the master key/ },
	);
});

test('a database of the other environment is refused', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const root = localRootKey(material(), 'test');
	await openKeyRing({ database, root, environment: 'sandbox' });
	await t.throwsAsync(openKeyRing({ database, root, environment: 'production' }), {
		instanceOf: EnvironmentMismatchError,
	});
});

test('a key file is made once, for its owner alone, and refused when others can read it', (t) => {
	const path = join(folder(t), 'deep', 'master.key');
	t.true(createRootKeyFile(path));
	t.false(createRootKeyFile(path));
	t.is(statSync(path).mode & 0o777, 0o600);
	t.notThrows(() => openFileRootKey(path));
	chmodSync(path, 0o644);
	t.throws(() => openFileRootKey(path), { instanceOf: RootKeyError, message: /chmod 600/ });
	writeFileSync(path, 'short', { mode: 0o600 });
	chmodSync(path, 0o600);
	t.throws(() => openFileRootKey(path), { instanceOf: RootKeyError, message: /64 hexadecimal/ });
});

test('the environment provider takes hexadecimal and base64, and never repeats what it was given', (t) => {
	const key = material();
	t.notThrows(() => openEnvRootKey(key.toString('hex')));
	t.notThrows(() => openEnvRootKey(key.toString('base64')));
	const error = t.throws(() => openEnvRootKey('not-a-key-at-all'), { instanceOf: RootKeyError });
	t.false(error?.message.includes('not-a-key-at-all'));
});

test('sealed bytes open only unaltered, whole and in their place', (t) => {
	const key = createSecretKey(material());
	const sealed = seal(key, Buffer.from('content'), Buffer.from('place'));
	t.is(unseal(key, sealed, Buffer.from('place')).toString(), 'content');
	t.throws(() => unseal(key, sealed, Buffer.from('elsewhere')), { instanceOf: SealError });
	t.throws(() => unseal(key, sealed.subarray(0, -1), Buffer.from('place')), { instanceOf: SealError });
	t.throws(() => unseal(key, Buffer.alloc(5), Buffer.from('place')), { instanceOf: SealError });
	for (let at = 0; at < sealed.length; at++) {
		const altered = Buffer.from(sealed);
		altered[at] ^= 1;
		t.throws(() => unseal(key, altered, Buffer.from('place')), { instanceOf: SealError }, `byte ${at}`);
	}
});
