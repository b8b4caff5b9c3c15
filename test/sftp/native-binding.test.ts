import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import test from 'ava';

const BINDING = new URL('../../node_modules/ssh2/lib/protocol/crypto/build/Release/sshcrypto.node', import.meta.url);

test("the SSH library's native ciphers do not abort the process when they are collected", (t) => {
	// Where the binding could not be compiled there is none, and slower JavaScript takes its place.
	if (!existsSync(fileURLToPath(BINDING))) return t.pass();
	t.false(readFileSync(BINDING).includes('RemoveEnvironmentCleanupHook'), 'scripts/ssh2-object-wrap.h was left out');
});
