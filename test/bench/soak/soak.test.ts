import test from 'ava';
import { countLost, isGood, type LedgerLine, tellLine } from '../../../bench/soak/ledger.ts';
import { startLoad } from '../../../bench/soak/load.ts';
import { drawMemory, quarterSlopes, type Sample, slopeOf } from '../../../bench/soak/memory.ts';
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
	t.deepEqual(await countLost(installation, soaked.daemon, acknowledged), { lostCards: 0, lostFiles: 0 });
	const tokens = [...acknowledged.tokens.slice(0, 3), 'f'.repeat(32)];
	const files = [...acknowledged.files.slice(0, 1), 'never-sent.csv'];
	t.deepEqual(await countLost(installation, soaked.daemon, { tokens, files }), { lostCards: 1, lostFiles: 1 });
});

test('a line of the ledger is good if nothing is lost or wrong, and says what is', (t) => {
	const good: LedgerLine = { round: 1, kind: 'kill', cards: 5, files: 2, lostCards: 0, lostFiles: 0, wrong: [] };
	t.true(isGood(good));
	for (const change of [{ lostCards: 1 }, { lostFiles: 1 }, { wrong: ['the daemon ended'] }]) {
		t.false(isGood({ ...good, ...change }));
		t.regex(tellLine({ ...good, ...change }), /WRONG$/);
	}
	t.is(tellLine(good), 'round 1, kill: 5 cards and 2 files acknowledged, 0 cards and 0 files lost');
});

test('the slope of memory is that of the line through the samples, and a run that flattens has a flat last quarter', (t) => {
	const samples: Sample[] = Array.from({ length: 80 }, (_, minute) => ({
		minute,
		residentMb: 100 + Math.min(minute, 20),
	}));
	t.is(Math.round(slopeOf(samples.slice(0, 20))), 60);
	t.deepEqual(quarterSlopes(samples).map(Math.round), [60, 0, 0, 0]);
	const svg = drawMemory(samples);
	t.regex(svg, /^<svg/);
	t.true((svg.match(/<circle/g)?.length ?? 0) >= 40);
	t.is(slopeOf([{ minute: 1, residentMb: 5 }]), 0);
});
