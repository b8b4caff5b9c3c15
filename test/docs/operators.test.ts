// Checks docs/operators.md: its commands are typed into a shell beside a daemon, and its roles are those of the code.

import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { commandRules } from '../../src/people/operators/roles.ts';
import { makeFolder } from '../helpers/drop-rooms.ts';
import { readPage, runExamples } from '../helpers/page-examples.ts';
import { openReader } from '../helpers/page-reader.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const page = readPage('operators.md');

testNeeding('OpenSSH (openssh-client)')('every example of operators does what it shows', async (t) => {
	t.is(page.examples.length, page.shellBlocks);
	const reader: Record<string, string> = await openReader(t);
	const folder = makeFolder(t);
	const [clear, tokens, masterKey] = ['clear.csv', 'tokens.csv', 'master.key'].map((name) => join(folder, name));
	writeFileSync(clear, 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2031\n');
	const tokenize = ['file', 'tokenize', '--user-id', 'demo', '--filter', 'SIMPLECSV', clear, tokens];
	execFileSync('tokendrop', tokenize, { env: reader, stdio: 'ignore' });
	copyFileSync(join(reader.TOKENDROP_DATA_DIR, 'master.key'), masterKey);
	await runExamples(t, page.examples, { ...reader, TOKENS: tokens, MASTER_KEY_COPY: masterKey });
});

test('the table of roles is that of the code', (t) => {
	const rows = Object.entries(commandRules).map(
		([name, { role, forTwo }]) => `| \`${name}\` | ${role} | ${forTwo ?? 'no'} |`,
	);
	t.deepEqual(
		page.text.split('\n').filter((line) => /^\| `[a-z]/.test(line)),
		rows,
	);
});
