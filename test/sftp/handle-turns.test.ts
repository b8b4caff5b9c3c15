import test from 'ava';
import fc from 'fast-check';
import { HandleTurns, SessionEnded } from '../../src/doors/sftp/session/handle-turns.ts';

test('operations run one after the other, in the order of the requests, however long each takes', async (t) => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.nat({ max: 9 }), { maxLength: 20 }), async (delays) => {
			const turns = new HandleTurns();
			const seen: string[] = [];
			await Promise.all(
				delays.map((delay, index) =>
					turns.run(async () => {
						seen.push(`begin ${index}`);
						for (let turn = delay; turn >= 0; turn -= 1) await Promise.resolve();
						seen.push(`end ${index}`);
					}),
				),
			);
			t.deepEqual(
				seen,
				delays.flatMap((_, index) => [`begin ${index}`, `end ${index}`]),
			);
		}),
	);
});

test('an operation that fails lets the next begin', async (t) => {
	const turns = new HandleTurns();
	const failing = turns.run(async () => {
		throw new Error('full');
	});
	const next = turns.run(async () => 'done');
	await t.throwsAsync(failing, { message: 'full' });
	t.is(await next, 'done');
});

test('once abandoned, what has not begun is dropped, what has begun ends, and the release comes last', async (t) => {
	const turns = new HandleTurns();
	const gate = Promise.withResolvers<string>();
	const seen: string[] = [];
	const begun = turns.run(() => gate.promise.then((text) => seen.push(text)));
	await Promise.resolve();
	const waiting = turns.run(async () => seen.push('never'));
	const released = turns.abandon(async () => void seen.push('released'));
	gate.resolve('written');
	await t.throwsAsync(waiting, { instanceOf: SessionEnded });
	await begun;
	await released;
	t.deepEqual(seen, ['written', 'released']);
});
