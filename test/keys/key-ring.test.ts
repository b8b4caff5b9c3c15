import { createSecretKey, randomBytes } from 'node:crypto';
import { chmodSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import { EnvironmentMismatchError, type KeyRing, openKeyRing } from '../../src/base/keys/key-ring.ts';
import { NEEDED_FOR_MS } from '../../src/base/keys/master-key-change.ts';
import { createRootKeyFile, openFileRootKey } from '../../src/base/keys/providers/file.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import { openEnvRootKey } from '../../src/base/keys/providers/open-root-key.ts';
import { RootKeyError } from '../../src/base/keys/root-key.ts';
import { SealError, seal, unseal } from '../../src/base/keys/seal.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

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

for (const dialect of databases) {
	test(`${dialect}: a rotation and what is done alongside stand or fall together`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const root = material();
		const ring = await openKeyRing({ database, root: localRootKey(Buffer.from(root), 'old'), environment: 'sandbox' });
		await ring.current('data', ACCOUNT);
		const before = await ring.list();
		const full = new Error('no room for the entry');
		const fail = async () => {
			throw full;
		};
		await t.throwsAsync(ring.rotate('data', ACCOUNT, fail), { is: full });
		await t.throwsAsync(ring.rotateEnvironmentKey(undefined, fail), { is: full });
		await t.throwsAsync(ring.rotateEnvironmentKey(localRootKey(material(), 'new'), fail), { is: full });
		t.deepEqual(await ring.list(), before);
		t.is(await ring.check(), 'present');
		t.is((await ring.current('data', ACCOUNT)).generation, 1);
		const generations: number[] = [];
		await ring.rotate('data', ACCOUNT, async (_, generation) => void generations.push(generation));
		t.deepEqual(generations, [2]);
	});

	test(`${dialect}: a process with a former master key goes on, and what it makes is under the new one`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const clock = turnableClock();
		const [first, second, third] = [material(), material(), material()];
		const open = (key: Buffer, name: string) =>
			openKeyRing({ database, root: localRootKey(Buffer.from(key), name), environment: 'sandbox', clock });
		const daemon = await open(first, 'first');
		const known = await daemon.current('data', ACCOUNT);
		const operator = await open(first, 'first');
		await operator.rotateEnvironmentKey(localRootKey(Buffer.from(second), 'second'));
		await operator.rotateEnvironmentKey(localRootKey(Buffer.from(third), 'third'));
		t.is(await operator.check(), 'present');
		t.is(await daemon.check(), 'replaced');
		t.is((await daemon.byId(known.id)).id, known.id);
		const made = await daemon.current('data', 8 as AccountId);
		const rotated = await daemon.rotate('cvv', ACCOUNT);
		const [latest] = (await daemon.list()).filter((row) => row.purpose === 'environment').reverse();
		for (const row of await daemon.list()) {
			if (row.purpose !== 'environment' && row.purpose !== 'bridge') t.is(row.wrapped_by, latest.id, row.purpose);
		}
		// A process that starts now is let in with any of the three master keys.
		for (const key of [first, second, third]) {
			const ring = await open(key, 'again');
			for (const each of [known, made, rotated]) t.true((await ring.byId(each.id)).secret.equals(each.secret));
		}
		await t.throwsAsync(daemon.rotateEnvironmentKey(), { instanceOf: RootKeyError, message: /was replaced/ });
		await (await open(third, 'third')).rotateEnvironmentKey();
		t.true((await (await open(first, 'first')).byId(made.id)).secret.equals(made.secret));

		t.is(await operator.retireFormerMasterKeys(), 'needed');
		clock.turn(NEEDED_FOR_MS);
		t.is(await daemon.check(), 'replaced');
		t.is(await operator.retireFormerMasterKeys(), 'needed', 'the daemon has just said so');
		clock.turn(NEEDED_FOR_MS);
		t.is(await daemon.retireFormerMasterKeys(), 'needed', 'whoever has no other may not');
		await t.throwsAsync(
			operator.retireFormerMasterKeys(async () => {
				throw new Error('no room for the entry');
			}),
		);
		t.is(await daemon.check(), 'replaced');
		clock.turn(NEEDED_FOR_MS);
		t.is(await operator.retireFormerMasterKeys(), 'retired');
		t.is(await operator.retireFormerMasterKeys(), 'none');
		for (const key of [first, second]) await t.throwsAsync(open(key, 'former'), { instanceOf: RootKeyError });
		await t.throwsAsync(daemon.check(), { instanceOf: RootKeyError });
		// The daemon still has the keys that it has opened, also the one that wraps new keys.
		const late = await daemon.current('data', 9 as AccountId);
		t.true((await (await open(third, 'third')).byId(late.id)).secret.equals(late.secret));
	});

	test(`${dialect}: a master key that is replaced while nobody else runs opens nothing from that moment`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const [first, second, third] = [material(), material(), material()];
		const open = (key: Buffer) =>
			openKeyRing({ database, root: localRootKey(Buffer.from(key), 'test'), environment: 'sandbox' });
		const operator = await open(first);
		const known = await operator.current('data', ACCOUNT);
		await operator.rotateEnvironmentKey(localRootKey(Buffer.from(second), 'second'), undefined, async () => false);
		await t.notThrowsAsync(open(first), 'a bridge leads from it');
		await operator.rotateEnvironmentKey(localRootKey(Buffer.from(third), 'third'), undefined, async () => true);
		for (const key of [first, second]) await t.throwsAsync(open(key), { instanceOf: RootKeyError });
		t.true((await (await open(third)).byId(known.id)).secret.equals(known.secret));
		t.false((await operator.list()).some(({ purpose }) => purpose === 'bridge'));
	});

	test(`${dialect}: keys made while the master key is replaced are under the new one`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const [first, second] = [material(), material()];
		const open = (key: Buffer) =>
			openKeyRing({ database, root: localRootKey(Buffer.from(key), 'test'), environment: 'sandbox' });
		const [operator, ...daemons] = [await open(first), await open(first), await open(first)];
		const made = daemons.map(async (daemon, at) => {
			for (let i = 0; i < 15; i++) {
				await daemon.current('data', (100 * at + i + 1) as AccountId);
				await daemon.rotate('drop');
			}
		});
		await operator.rotateEnvironmentKey(localRootKey(Buffer.from(second), 'second'));
		await operator.rotateEnvironmentKey();
		await Promise.all(made);
		await database.knex('keys').where({ purpose: 'bridge' }).delete();
		const ring = await open(second);
		const rows = (await ring.list()).filter(({ purpose }) => purpose !== 'environment');
		t.is(rows.filter(({ purpose }) => purpose === 'data').length, 30);
		t.is(rows.filter(({ purpose }) => purpose === 'drop').length, 31, 'rotations at the same time are both done');
		for (const row of rows) await t.notThrowsAsync(ring.byId(row.id), `${row.purpose} ${row.generation}`);
	});
}

test('the master key in use is refused as a new one', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const root = material();
	const ring = await openKeyRing({ database, root: localRootKey(Buffer.from(root), 'test'), environment: 'sandbox' });
	await t.throwsAsync(ring.rotateEnvironmentKey(localRootKey(root, 'file same.key')), {
		instanceOf: RootKeyError,
		message: /file same\.key.*in use/,
	});
	t.is((await ring.list()).length, 2);
});

test('a new master key put in place of the file is taken up without a restart', async (t) => {
	const database = await openTestDatabase(t, 'sqlite');
	const path = join(folder(t), 'master.key');
	await createRootKeyFile(path);
	const daemon = await openKeyRing({ database, root: openFileRootKey(path), environment: 'sandbox' });
	const operator = await openKeyRing({ database, root: openFileRootKey(path), environment: 'sandbox' });
	await createRootKeyFile(`${path}.new`);
	await operator.rotateEnvironmentKey(openFileRootKey(`${path}.new`));
	t.is(await daemon.check(), 'replaced');
	writeFileSync(path, 'half a k');
	t.is(await daemon.check(), 'replaced', 'a file being written is no reason to stop');
	renameSync(`${path}.new`, path);
	t.is(await daemon.check(), 'present');
	await daemon.rotateEnvironmentKey();
	await t.notThrowsAsync(openKeyRing({ database, root: openFileRootKey(path), environment: 'sandbox' }));
});

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

test('a key file is made once, for its owner alone, and refused when others can read it', async (t) => {
	const path = join(folder(t), 'deep', 'master.key');
	t.true(await createRootKeyFile(path));
	t.false(await createRootKeyFile(path));
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
