import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { openPkcs11RootKey } from '../../../src/base/keys/providers/pkcs11/pkcs11.ts';
import { RootKeyAwayError, RootKeyError } from '../../../src/base/keys/root-key.ts';
import { makeSoftToken } from '../../helpers/key-services/soft-token.ts';
import { testNeeding } from '../../helpers/test-needing.ts';
import { until } from '../../helpers/until.ts';

const test = testNeeding('SoftHSM (softhsm2) and pkcs11js, which npm ci compiles');
const MATERIAL = Buffer.alloc(32, 7);

function openScene(t: ExecutionContext) {
	const token = makeSoftToken(t);
	const root = openPkcs11RootKey({ ...token.place, pinFile: token.pinFile });
	t.teardown(() => root.close());
	return { token, root };
}

/** Returns the processes that this one has started to load the library of an HSM. */
function libraryProcesses(): number[] {
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/stat`))
		.map(Number)
		.filter((pid) => {
			try {
				const isOurs = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[1] === String(process.pid);
				return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('library-main');
			} catch {
				return false;
			}
		});
}

test.serial(
	'the library runs in a process of its own, which dumps no memory and has the PIN in no argument',
	async (t) => {
		const { root, token } = openScene(t);
		await root.wrap(MATERIAL);
		const [pid, ...others] = libraryProcesses();
		t.deepEqual(others, []);
		t.regex(readFileSync(`/proc/${pid}/limits`, 'utf8'), /^Max core file size\s+0\s+0\s/m);
		t.false(readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(token.pin));
		t.false(readFileSync('/proc/self/maps', 'utf8').includes('softhsm'), 'this process has not loaded it');
		root.close();
		await until('the process ends', () => libraryProcesses().length === 0);
	},
);

test.serial(
	'a library that crashes ends its process only: the next call, and one under way, begin another',
	async (t) => {
		const { root } = openScene(t);
		const wrapped = await root.wrap(MATERIAL);
		const [first] = libraryProcesses();
		process.kill(first, 'SIGSEGV');
		t.deepEqual(await root.unwrap(wrapped), MATERIAL);
		const [second] = libraryProcesses().filter((pid) => pid !== first);
		process.kill(second, 'SIGSTOP');
		const underWay = Promise.all([root.unwrap(wrapped), root.wrap(MATERIAL)]);
		await sleep(50);
		process.kill(second, 'SIGKILL');
		const [plain, again] = await underWay;
		t.deepEqual(plain, MATERIAL);
		t.deepEqual(await root.unwrap(again), MATERIAL);
	},
);

test.serial('a PIN that was not taken is not tried again, so that the token does not lock', async (t) => {
	const { token } = openScene(t);
	const root = openPkcs11RootKey({ ...token.place, pinFile: token.pinFile }, 'not the PIN');
	t.teardown(() => root.close());
	const refused = () =>
		t.throwsAsync(root.wrap(MATERIAL), { instanceOf: RootKeyAwayError, message: /does not take the PIN/ });
	await refused();
	await until('the process ends', () => libraryProcesses().length === 0);
	for (let i = 0; i < 5; i++) await refused();
	t.deepEqual(libraryProcesses(), [], 'nobody asked the token a second time');
});

test.serial('two keys of one label, and a key that may not decrypt, are refused', async (t) => {
	const { token, root } = openScene(t);
	token.makeKey('sealing only', false);
	const sealing = openPkcs11RootKey({ ...token.place, pinFile: token.pinFile, keyLabel: 'sealing only' });
	t.teardown(() => sealing.close());
	const wrapped = await sealing.wrap(MATERIAL);
	await t.throwsAsync(sealing.unwrap(wrapped), {
		instanceOf: RootKeyError,
		message: /may not be used for this.*CKR_KEY_FUNC/,
	});
	token.makeKey(token.place.keyLabel);
	await t.throwsAsync(root.wrap(MATERIAL), { instanceOf: RootKeyError, message: /several secret keys master key/ });
});

test.serial('a library that is none is told, and so is one that is not there', async (t) => {
	const { token } = openScene(t);
	for (const library of ['/bin/sh', '/nowhere/lib.so']) {
		const root = openPkcs11RootKey({ ...token.place, library, pinFile: token.pinFile });
		t.teardown(() => root.close());
		await t.throwsAsync(root.wrap(MATERIAL), {
			instanceOf: RootKeyAwayError,
			message: /the library cannot be loaded; look at keys\.pkcs11\.library/,
		});
	}
});
