import { readFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import { Window } from '../../src/engine/window.ts';

/** Returns a source that gives these pieces, and a state that notes whether the source was closed. */
function sourceOf(pieces: readonly Uint8Array[]) {
	const state = { isClosed: false };
	async function* read() {
		try {
			yield* pieces;
		} finally {
			state.isClosed = true;
		}
	}
	return { state, source: read() };
}

test('any pieces pass through any window, whole and in order, however little of it is consumed at a time', async (t) => {
	const pieces = fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 20 });
	const steps = fc.array(fc.nat(40), { minLength: 1, maxLength: 30 });
	await fc.assert(
		fc.asyncProperty(pieces, steps, fc.integer({ min: 1, max: 30 }), async (given, consumed, windowBytes) => {
			const window = new Window(sourceOf(given).source, { windowBytes, maxRecordBytes: 100_000 });
			const whole = Buffer.concat(given);
			for (let n = 0; ; n++) {
				await window.fill();
				const held = window.bytes.subarray(window.start, window.end);
				t.deepEqual(held, whole.subarray(window.position, window.position + held.length));
				if (window.isLast) break;
				window.consume(Math.min(window.end, window.start + consumed[n % consumed.length]));
			}
			t.is(window.base + window.end, whole.length);
			await window.close();
		}),
	);
});

test('a record of the longest length fits wherever it begins, and a longer one never does', async (t) => {
	const LONGEST = 1000;
	await fc.assert(
		fc.asyncProperty(
			fc.nat(3000),
			fc.integer({ min: 1, max: 2000 }),
			fc.integer({ min: 1, max: 2500 }),
			async (...given) => {
				const [before, windowBytes, length] = given;
				const { source } = sourceOf([Buffer.alloc(before + length + 1)]);
				const window = new Window(source, { windowBytes, maxRecordBytes: LONGEST });
				// Everything before the record is consumed as it comes, and the record only when it is whole.
				const read = async () => {
					while (window.base + window.end < before + length) {
						await window.fill();
						window.consume(Math.min(window.end, Math.max(window.start, before - window.base)));
					}
				};
				if (length <= LONGEST) await t.notThrowsAsync(read());
				else await t.throwsAsync(read(), { name: 'FileError', message: /a single record is longer than 1000 bytes/ });
				await window.close();
			},
		),
	);
});

test('a buffer that was outgrown, and the last one, are wiped where bytes were and freed', async (t) => {
	const { transfer } = ArrayBuffer.prototype;
	const freed: Buffer[] = [];
	ArrayBuffer.prototype.transfer = function (this: ArrayBuffer, length?: number) {
		freed.push(Buffer.from(Buffer.from(this)));
		return transfer.call(this, length);
	};
	t.teardown(() => {
		ArrayBuffer.prototype.transfer = transfer;
	});
	const { state, source } = sourceOf([Buffer.alloc(100_000, '4')]);
	const window = new Window(source, { windowBytes: 10_000, maxRecordBytes: 100_000 });
	const first = window.bytes;
	for (let n = 0; n < 3; n++) await window.fill();
	t.is(first.length, 0);
	t.true(window.end > 20_000);
	await window.close();
	t.is(window.bytes.length, 0);
	t.true(state.isClosed);
	t.is(freed.length, 2);
	for (const bytes of freed) t.false(bytes.includes('4444'), 'bytes of the file are left');
});

const isLinux = process.platform === 'linux';
(isLinux ? test.serial : test.serial.skip)('a small file takes no more memory than its bytes', async (t) => {
	const faults = () => Number(readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[7]);
	const { source } = sourceOf([Buffer.alloc(1000, '4')]);
	const window = new Window(source, { windowBytes: 32 * 1024 * 1024, maxRecordBytes: 1024 });
	const before = faults();
	await window.fill();
	await window.close();
	t.true(faults() - before < 8_000, `${faults() - before} pages of 16,384 were touched`);
});
