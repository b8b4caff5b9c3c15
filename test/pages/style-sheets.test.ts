import test from 'ava';
import { openStyleSheets } from '../../src/base/pages/style-sheets.ts';
import { ThreadSlot } from '../../src/base/threads/thread-slot.ts';

test.serial('a sheet is read once, however often and from however many pages it is wanted', async (t) => {
	const read: unknown[] = [];
	const { run } = ThreadSlot.prototype;
	ThreadSlot.prototype.run = function (this: ThreadSlot<unknown, unknown>, css, transfer) {
		read.push(css);
		return run.call(this, css, transfer);
	};
	t.teardown(() => {
		ThreadSlot.prototype.run = run;
	});
	const sheets = openStyleSheets();
	const wanted = ['p{top:0}', 'q{top:0}', 'p{top:0}'];
	const got = await Promise.all([...wanted, ...wanted].map((css, account) => sheets.read(account, css)));
	t.deepEqual(got[0], { css: '.tokendrop p{top:0}' });
	t.deepEqual(got[3], got[0]);
	t.deepEqual(await sheets.read(7, 'q{top:0}'), { css: '.tokendrop q{top:0}' });
	t.deepEqual(read, ['p{top:0}', 'q{top:0}']);
});

test.serial('a sheet that takes too long is refused once and for all', async (t) => {
	const sheets = openStyleSheets({ maxMs: 5 });
	const long = `a{${'b;'.repeat(8_000)}}`;
	const refused = { css: '', problem: 'takes longer to be read than is available' };
	t.deepEqual(await sheets.read(1, long), refused);
	t.deepEqual(await sheets.read(1, long), refused);
});

test.serial(
	'an account with many sheets does not keep another waiting, and only so many of its sheets wait',
	async (t) => {
		const sheets = openStyleSheets();
		const order: string[] = [];
		const read = (account: string, n: number) =>
			sheets.read(account, `p{top:${n}px}`).then(
				() => order.push(account),
				({ reason }) => order.push(`${account} ${reason}`),
			);
		await Promise.all([...Array.from({ length: 40 }, (_, n) => read('many', n)), read('one', 99)]);
		t.is(order.filter((each) => each === 'many too-many-calls').length, 7);
		const done = order.filter((each) => !each.includes(' '));
		t.true(done.indexOf('one') <= 2, done.join(' '));
	},
);
