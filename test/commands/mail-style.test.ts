import test from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';

test('the mail style of an account is set, shown and removed, and sub-users have that of their account', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'hotel');
	await run('account', 'create', '--user-id', 'desk', '--kind', 'sub-user', '--parent', 'hotel');
	const style = {
		...{ fromName: 'Hôtel du Lac', fromAddress: 'cards@hotel.example', replyTo: 'desk@hotel.example' },
		...{ logoUrl: 'https://hotel.example/logo.png', colour: '#0a5cff' },
	};
	const options = Object.entries(style).flatMap(([name, value]) => [
		`--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`,
		value,
	]);
	const set = await run('mail-style', 'set', '--user-id', 'hotel', ...options);
	t.is(set.code, 0, set.stderr);
	t.deepEqual((await run('mail-style', 'show', '--user-id', 'desk')).json, { userId: 'desk', ...style });
	t.regex((await run.text('mail-style', 'show', '--user-id', 'hotel')).stdout, /colour: #0a5cff/);
	await run('mail-style', 'set', '--user-id', 'hotel', '--colour', '#000000');
	t.deepEqual((await run('mail-style', 'show', '--user-id', 'hotel')).json, { userId: 'hotel', colour: '#000000' });
	t.true((await run('mail-style', 'remove', '--user-id', 'hotel')).json.removed);
	t.is((await run('mail-style', 'remove', '--user-id', 'hotel')).code, 1);
	t.deepEqual((await run('mail-style', 'show', '--user-id', 'hotel')).json, { userId: 'hotel' });
	t.is((await run('audit', 'verify')).code, 0);
});

const refused = test.macro({
	title: (_, option, value) => `a mail style refuses ${option} ${JSON.stringify(value)}`,
	async exec(t, option: string, value: string) {
		const run = openCommandRunner(t);
		await run('account', 'create', '--user-id', 'hotel');
		t.not((await run('mail-style', 'set', '--user-id', 'hotel', option, value)).code, 0);
	},
});
test(refused, '--from-name', 'Hotel <other@example.com>');
test(refused, '--from-address', 'cards@hotel.example, other@example.com');
test(refused, '--reply-to', 'desk@hotel.example\r\nBcc: other@example.com');
test(refused, '--logo-url', 'http://hotel.example/logo.png');
test(refused, '--logo-url', 'javascript:alert(1)');
test(refused, '--colour', 'red;background:url(https://other.example)');
