import test from 'ava';
import { isGood, type LedgerLine, tellLine } from '../../../bench/soak/ledger.ts';
import { drawMemory, quarterSlopes, type Sample, slopeOf } from '../../../bench/soak/memory.ts';

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
