import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { isGood, type LedgerLine, tellLine } from '../../../bench/soak/ledger.ts';
import { fileOfCards, isWhole } from '../../../bench/soak/load.ts';
import { drawMemory, quarterSlopes, type Sample, slopeOf } from '../../../bench/soak/memory.ts';
import { sweepFolders } from '../../../bench/soak/sweep.ts';
import { VISA } from '../../helpers/card-calls.ts';
import { makeFolder } from '../../helpers/file-parts.ts';

test('a line of the ledger is good if nothing is lost or wrong, and says what is', (t) => {
	const good: LedgerLine = {
		round: 1,
		kind: 'kill',
		cards: 5,
		files: 2,
		lostCards: 0,
		lostFiles: 0,
		doubled: 0,
		wrong: [],
	};
	t.true(isGood(good));
	for (const change of [{ lostCards: 1 }, { lostFiles: 1 }, { doubled: 1 }, { wrong: ['the daemon ended'] }]) {
		t.false(isGood({ ...good, ...change }));
		t.regex(tellLine({ ...good, ...change }), /WRONG$/);
	}
	t.is(tellLine(good), 'round 1, kill: 5 cards and 2 files acknowledged, 0 cards and 0 files lost, 0 doubled');
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

test('a file is whole if each of its records has a token, and a sweep finds one that has none', (t) => {
	const clear = fileOfCards(3).toString();
	const whole = clear.replaceAll(VISA, 'a'.repeat(32));
	t.true(isWhole('soak-7-3.csv', Buffer.from(whole)));
	for (const other of [clear, whole.split('\n').slice(0, 3).join('\n'), whole + whole])
		t.false(isWhole('soak-7-3.csv', Buffer.from(other)));
	const folder = makeFolder(t);
	mkdirSync(join(folder, 'below'));
	writeFileSync(join(folder, 'whole'), whole);
	t.deepEqual(sweepFolders([folder]), []);
	const leak = join(folder, 'below', 'log');
	writeFileSync(leak, Buffer.concat([Buffer.alloc(9), Buffer.from(clear)]));
	t.deepEqual(sweepFolders([folder]), [leak]);
});
