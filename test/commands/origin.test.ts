import test from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';

test('origins are added, listed and removed; what is wrong is said', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'acme');
	const origin = (verb: string, ...more: string[]) => run('origin', verb, '--user-id', 'acme', ...more);
	t.deepEqual((await origin('add', 'https://Shop.example/')).json, { userId: 'acme', origin: 'https://shop.example' });
	t.like(await origin('add', 'https://shop.example/buy'), { code: 1, json: { error: { reason: 'bad-input-data' } } });
	t.deepEqual((await origin('list')).json, ['https://shop.example']);
	t.regex((await run.text('origin', 'list', '--user-id', 'acme')).stdout, /^origin\s+https:\/\/shop\.example\s*$/);
	t.is((await origin('remove', 'https://shop.example')).code, 0);
	t.deepEqual((await origin('list')).json, []);
	t.is((await origin('remove', 'https://shop.example')).code, 1);
});
