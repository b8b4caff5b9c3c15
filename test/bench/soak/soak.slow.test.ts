// Those tests of soak.test.ts that take long.

import test from 'ava';
import { countLost } from '../../../bench/soak/ledger.ts';
import { startLoad } from '../../../bench/soak/load.ts';
import { harms, type Soaked } from '../../../bench/soak/rounds.ts';
import { startInstallation } from '../../helpers/daemon.ts';

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
	t.deepEqual(await countLost(installation, soaked.daemon, acknowledged), { lostCards: 0, lostFiles: 0, wrong: [] });
	const tokens = [...acknowledged.tokens.slice(0, 3), 'f'.repeat(32)];
	const files = [...acknowledged.files.slice(0, 1), 'never-sent.csv'];
	t.deepEqual(await countLost(installation, soaked.daemon, { tokens, files }), {
		lostCards: 1,
		lostFiles: 1,
		wrong: [],
	});
});
