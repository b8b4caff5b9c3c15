import { EventEmitter } from 'node:events';
import test from 'ava';
import { type Hearing, Line, type LineEnd } from '../../src/app/processes/line.ts';

/** Returns two lines that are the ends of one channel, in which everything is JSON. */
function connected(here: Record<string, Hearing>, there: Record<string, Hearing>): [Line, Line] {
	const [one, other] = [new EventEmitter(), new EventEmitter()];
	const end = (own: EventEmitter, far: EventEmitter): LineEnd => ({
		send: (message) => setImmediate(() => far.emit('message', JSON.parse(JSON.stringify(message)))),
		on: (name, listener) => own.on(name, listener),
		off: (name, listener) => own.off(name, listener),
	});
	return [new Line(end(one, other), here), new Line(end(other, one), there)];
}

test('both ends ask, and each answer reaches who asked', async (t) => {
	const [one, other] = connected({ double: (n: number) => 2 * n }, { half: async (n: number) => n / 2 });
	const answers = [one.ask('half', 4), other.ask('double', 4), one.ask('half', 6)];
	t.deepEqual(await Promise.all(answers), [2, 8, 3]);
});

test('a failure is told, and nobody waits for a process that has ended', async (t) => {
	const [one, other] = connected(
		{},
		{
			fails() {
				throw new Error('not now');
			},
			hangs: () => new Promise(() => {}),
		},
	);
	await t.throwsAsync(one.ask('fails'), { message: /not now/ });
	const waiting = one.ask('hangs');
	one.close();
	await t.throwsAsync(waiting, { message: 'the other process has ended' });
	await t.throwsAsync(one.ask('hangs'), { message: 'the other process has ended' });
	other.tell('nothing', null);
	other.close();
	t.pass();
});
