// Those tests of soak.test.ts that take long.

import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { GROWN_KINDS } from '../../../bench/soak/grown.ts';
import { countLost } from '../../../bench/soak/ledger.ts';
import { startLoad } from '../../../bench/soak/load.ts';
import { harms, KINDS, type Soaked } from '../../../bench/soak/rounds.ts';
import { startInstallation } from '../../helpers/daemon.ts';

const MAIN = fileURLToPath(new URL('../../../bench/soak/main.ts', import.meta.url));

test('a round with a kill keeps what was acknowledged, and the ledger tells what is gone', async (t) => {
	const { installation, daemon } = await startInstallation(t);
	const soaked: Soaked = {
		...{ installation, daemon, disk: undefined },
		load: startLoad(installation, () => soaked.daemon),
	};
	const { acknowledged } = soaked.load;
	const isLoaded = () => acknowledged.tokens.length > 20 && acknowledged.files.length > 0;
	while (!isLoaded()) await new Promise((resolve) => setTimeout(resolve, 20));
	t.deepEqual(await harms.kill(soaked), []);
	await soaked.load.end();
	t.not(soaked.daemon.pid, daemon.pid);
	t.deepEqual(await countLost(installation, soaked.daemon, acknowledged), {
		lostCards: 0,
		lostFiles: 0,
		doubled: 0,
		wrong: [],
	});
	const tokens = [...acknowledged.tokens.slice(0, 3), 'f'.repeat(32)];
	const files = [...acknowledged.files.slice(0, 1), 'never-sent.csv'];
	t.deepEqual(await countLost(installation, soaked.daemon, { tokens, files }), {
		lostCards: 1,
		lostFiles: 1,
		doubled: 0,
		wrong: [],
	});
});

test('the soak tells its options, and what it does not know', (t) => {
	const usage = execFileSync(process.execPath, [MAIN, '--help'], { encoding: 'utf8' });
	for (const word of ['--rounds', '--grown', '--key-away', '--hours', '--json', '--svg', ...KINDS, ...GROWN_KINDS])
		t.true(usage.includes(word), word);
	const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, '--nonsense'], { encoding: 'utf8' });
	t.deepEqual([status, stdout], [64, '']);
	t.regex(stderr, /^Unknown option '--nonsense'/);
	t.true(stderr.includes(usage));
	t.notRegex(stderr, /^\s+at /m);
	const unknown = spawnSync(process.execPath, [MAIN, '--grown', 'kill'], { encoding: 'utf8' });
	t.is(unknown.status, 64);
	t.regex(unknown.stderr, /^kill is no kind of round: kill-one, /);
});
