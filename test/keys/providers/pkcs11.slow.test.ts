import { readdirSync, readFileSync } from 'node:fs';
import { openPkcs11RootKey } from '../../../src/base/keys/providers/pkcs11/pkcs11.ts';
import { RootKeyAwayError } from '../../../src/base/keys/root-key.ts';
import { makeSoftToken } from '../../helpers/key-services/soft-token.ts';
import { testNeeding } from '../../helpers/test-needing.ts';

const test = testNeeding('SoftHSM (softhsm2) and pkcs11js, which npm ci compiles');

test('a library that hangs is ended, and the next call begins another process', async (t) => {
	const token = makeSoftToken(t);
	const root = openPkcs11RootKey({ ...token.place, pinFile: token.pinFile });
	t.teardown(() => root.close());
	const wrapped = await root.wrap(Buffer.alloc(32, 7));
	const tasks = readdirSync('/proc/self/task').map((task) => `/proc/self/task/${task}/children`);
	const children = tasks.flatMap((file) => readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number));
	for (const pid of children) process.kill(pid, 'SIGSTOP');
	await t.throwsAsync(root.unwrap(wrapped), { instanceOf: RootKeyAwayError, message: /it gave no answer within 8 s/ });
	t.deepEqual(await root.unwrap(wrapped), Buffer.alloc(32, 7));
});
