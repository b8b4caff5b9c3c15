import test from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';

test('today is told for people and as JSON, and refuses a day or account that there is not', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'agency');
	t.regex((await run.text('today')).stdout, /UTC\): nothing was sent/);
	t.regex((await run.text('today', '--account', 'agency')).stdout, /\nagency\n {2}nothing was sent\n/);
	t.deepEqual((await run('today')).json.accounts, []);
	t.is((await run('today', '--day', 'noon')).json.error.reason, 'bad-input-data');
	t.is((await run('today', '--account', 'nobody')).code, 1);
});
