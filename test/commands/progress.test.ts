import test from 'ava';
import { createOutput } from '../../src/installation/frame/output.ts';
import { openProgress, progressText } from '../../src/installation/frame/progress.ts';

function terminal(isTTY: boolean | undefined, columns?: number) {
	const written: string[] = [];
	return { isTTY, columns, written, write: (text: string) => void written.push(text) };
}

test('a bar has share, rate and time left, in units that people read', (t) => {
	const state = { label: 'tokenizing', unit: 'bytes' as const, done: 250_000_000, total: 1e9, rate: 12_340_000 };
	t.is(progressText(state), 'tokenizing [######                  ] 25 %  12.3 MB/s  1:01 left');
	t.regex(progressText({ ...state, rate: 100_000 }), /2:05:00 left$/);
	t.is(progressText({ ...state, rate: 0 }), 'tokenizing [######                  ] 25 %  0 B/s');
	t.is(progressText({ ...state, total: undefined, unit: 'things', done: 7, rate: 2 }), 'tokenizing  7  2/s');
	t.regex(progressText({ ...state, done: 2e9 }), /\[#{24}\] 100 %.* 0:00 left/, 'a file that grows does not break it');
});

test('it is drawn on a terminal alone, ten times a second at most, and taken away at the end', (t) => {
	let nowMs = 0;
	const screen = terminal(true, 40);
	const progress = openProgress(screen, 'copying', 'bytes', () => nowMs);
	for (let i = 1; i <= 100; i++) {
		nowMs += 10;
		progress.update(i * 1000, 100_000);
	}
	t.is(screen.written.length, 10);
	t.true(screen.written.every((text) => text.startsWith('\r\u001b[K') && text.length <= 40 + 4));
	progress.end();
	progress.end();
	t.is(screen.written.length, 11);
	t.is(screen.written.at(-1), '\r\u001b[K');
	for (const isTTY of [false, undefined]) {
		const pipe = terminal(isTTY);
		const silent = openProgress(pipe, 'copying', 'bytes', () => (nowMs += 1000));
		silent.update(1, 2);
		silent.end();
		t.deepEqual(pipe.written, []);
	}
});

test('under --json there is no bar, terminal or not', (t) => {
	const [stdout, stderr] = [terminal(true), terminal(true)];
	const output = createOutput(true, stdout, stderr);
	t.false(output.isWatched);
	output.progress('x', 'bytes').update(1, 2);
	t.deepEqual(stderr.written, []);
	t.true(createOutput(false, stdout, stderr).isWatched);
});
