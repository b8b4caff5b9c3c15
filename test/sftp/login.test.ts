import test from 'ava';
import { endsWithin } from '../helpers/in-time.ts';
import { attempt, delayMs, refusal, start } from './login.setup.ts';

test('a right password is accepted without delay', async (t) => {
	const { login } = start();
	const { context, answers } = attempt({ username: 'other', password: 'right' });
	t.true(await endsWithin(delayMs, () => login.attempt(context)));
	t.deepEqual(answers, ['accepted']);
});

test('a valid login for which there is no room is told so, and counts as no wrong credential', async (t) => {
	const { login, seen } = start({ admit: false });
	const { context, answers } = attempt({ password: 'right' });
	await login.attempt(context);
	t.deepEqual(answers, []);
	t.is(seen.noSpace, 1);
	t.is(seen.wrong, 0);
	t.like(seen.lines.at(-1), { message: 'sftp login refused', reason: 'too many sessions' });
	t.deepEqual(seen.refusals, ['too many sessions']);
});

test('the question for methods is answered at once and is no try', async (t) => {
	const { login, seen } = start({ maxLoginTries: 1 });
	const { context, answers } = attempt({ method: 'none' });
	t.true(await endsWithin(delayMs, () => login.attempt(context)));
	t.deepEqual(answers, refusal);
	t.is(seen.tooMany, 0);
});

test('endless questions are ended', async (t) => {
	const { login, seen } = start({ maxLoginTries: 1 });
	for (let turn = 0; turn < 5; turn += 1) await login.attempt(attempt({ method: 'none' }).context);
	t.is(seen.tooMany, 1);
});
