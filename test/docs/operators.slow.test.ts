// Those tests of operators.test.ts that take long.

import { execFileSync } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../helpers/file-parts.ts';
import { runExamples } from '../helpers/page-examples.ts';
import { openReader } from '../helpers/page-reader.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { page } from './operators.setup.ts';

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
