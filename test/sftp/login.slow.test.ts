// Those tests of login.test.ts that take long.

import test from 'ava';
import { endsWithin } from '../helpers/in-time.ts';
import { attempt, delayMs, refusal, slowMs, start } from './login.setup.ts';

test('an unknown user and a wrong password take the same time and get the same answer', async (t) => {
	const { login, seen } = start();
	for (const fields of [
		{ username: 'demo', password: 'wrong' },
		{ username: 'nobody', password: 'wrong' },
	]) {
		const { context, answers } = attempt(fields);
		const beganMs = performance.now();
		t.true(await endsWithin(delayMs + slowMs / 2, () => login.attempt(context)));
		t.true(performance.now() - beganMs > delayMs - 5);
		t.deepEqual(answers, refusal);
	}
	t.is(seen.wrong, 2);
	t.deepEqual(seen.refusals, ['wrong credential', 'wrong credential']);
});

test('a change of password, a user name without end and other methods never reach the identity', async (t) => {
	const { login, seen } = start();
	const odd = [
		{ password: { oldPassword: 'right', newPassword: 'new' } },
		{ username: 'x'.repeat(257), password: 'right' },
		{ method: 'keyboard-interactive' },
		{ method: 'hostbased' },
	];
	for (const fields of odd) {
		const { context, answers } = attempt(fields);
		await login.attempt(context);
		t.deepEqual(answers, refusal);
	}
	t.is(seen.asked, 0);
});

test('a banned user is refused as for a wrong password, without a look-up, and the trail says why', async (t) => {
	const { login, seen } = start({ mayTry: false });
	const { context, answers } = attempt({ password: 'right' });
	await login.attempt(context);
	t.deepEqual(answers, refusal);
	t.is(seen.asked, 0);
	t.is(seen.wrong, 0);
	t.deepEqual(seen.refusals, ['shut out']);
});
