import test from 'ava';
import fc from 'fast-check';
import { HandleOrder, SessionEnded } from '../../src/sftp/handle-order.ts';

/** Runs the operations, letting them finish in the given order where they may, and writes down what happened. */
async function observe(kinds: readonly ('read' | 'write' | 'alone')[], delays: readonly number[]) {
	const order = new HandleOrder();
	const running = new Set<number>();
	const begun: number[] = [];
	const overlaps: string[] = [];
	await Promise.all(
		kinds.map((kind, index) =>
			order.run(kind, async () => {
				for (const other of running) overlaps.push([kinds[other], kind].join('+'));
				begun.push(index);
				running.add(index);
				for (let turn = delays[index % delays.length]; turn >= 0; turn -= 1) await Promise.resolve();
				running.delete(index);
			}),
		),
	);
	return { begun, overlaps };
}

test('operations begin in order, and only reads with reads and writes with writes overlap', async (t) => {
	const kinds = fc.array(fc.constantFrom('read' as const, 'write' as const, 'alone' as const), { maxLength: 20 });
	const delays = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 5 });
	await fc.assert(
		fc.asyncProperty(kinds, delays, async (sequence, turns) => {
			const { begun, overlaps } = await observe(sequence, turns);
			t.deepEqual(begun, [...sequence.keys()]);
			t.deepEqual(
				overlaps.filter((pair) => pair !== 'read+read' && pair !== 'write+write'),
				[],
			);
		}),
	);
});

test('pipelined writes do overlap', async (t) => {
	const { overlaps } = await observe(['write', 'write', 'write'], [5]);
	t.deepEqual(overlaps, ['write+write', 'write+write', 'write+write']);
});

test('an operation that fails lets the next begin', async (t) => {
	const order = new HandleOrder();
	const failing = order.run('alone', async () => {
		throw new Error('full');
	});
	const next = order.run('alone', async () => 'done');
	await t.throwsAsync(failing, { message: 'full' });
	t.is(await next, 'done');
});

test('operations that have not begun can be dropped, and those that have begun end', async (t) => {
	const order = new HandleOrder();
	const gate = Promise.withResolvers<string>();
	const begun = order.run('write', () => gate.promise);
	const waiting = order.run('alone', async () => 'never');
	order.dropWaiting();
	await t.throwsAsync(waiting, { instanceOf: SessionEnded });
	gate.resolve('written');
	t.is(await begun, 'written');
});
