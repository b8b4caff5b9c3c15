import test from 'ava';
import { startReceiver } from '../helpers/event-parts.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

const WHOSE = ['--user-id', 'agency'];

test('endpoints and mailboxes are put, listed, tested, rotated and removed, and events listed and replayed', async (t) => {
	const run = openCommandRunner(t, { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' });
	t.is((await run('account', 'create', ...WHOSE)).code, 0);
	const receiver = await startReceiver(t);
	const endpoint = (verb: string, ...more: string[]) => run('event', 'endpoint', verb, ...WHOSE, ...more);
	const named = ['--name', 'crm'];
	const put = await endpoint('put', ...named, '--url', receiver.url, '--types', 'account.locked,job.done');
	t.is(put.code, 0, put.stderr);
	t.like(put.json, { name: 'crm', kind: 'webhook', target: receiver.url, types: ['account.locked', 'job.done'] });
	t.regex(put.json.secret, /^whsec_/);
	const wrong = await endpoint('put', ...named, '--url', receiver.url, '--types', 'job.dun,job.done,nothing.alike');
	t.regex(
		wrong.json.error.message,
		/types: number 1 is not known: perhaps job\.done; docs\/events\.md lists the types; number 3 is not known: docs/,
	);
	const mail = await run('event', 'mail', 'put', ...WHOSE, '--to', 'ops@agency.example', '--types', 'route.stopped');
	t.like(mail.json, { name: 'mailto:ops@agency.example', kind: 'mail', types: ['route.stopped'], signature: null });
	const { secret: _, ...listed } = put.json;
	t.deepEqual((await endpoint('list')).json, [listed, mail.json]);
	t.like((await endpoint('test', ...named)).json, { received: true, status: 204 });
	t.is(receiver.calls.length, 1);
	t.regex((await endpoint('rotate', ...named)).json.secret, /^whsec_/);

	t.is((await run('account', 'block', ...WHOSE)).code, 0);
	const list = (...more: string[]) => run('event', 'list', ...WHOSE, ...more);
	const [event] = (await list()).json;
	t.like(event, { type: 'account.locked', data: { account: 'agency', cause: 'operator' } });
	t.like(event.deliveries, [{ endpoint: 'crm', state: 'waiting' }]);
	t.deepEqual((await run('event', 'show', ...WHOSE, '--id', event.id)).json, event);
	t.deepEqual((await list('--to', '2020-01-01')).json, []);
	t.regex((await list('--type', 'acount.locked')).json.error.message, /type: is not known: perhaps account\.locked;/);
	const replay = (...more: string[]) => run('event', 'replay', ...WHOSE, ...more);
	t.deepEqual((await replay('--from', '2020-01-01')).json, { userId: 'agency', deliveries: 0 });
	t.is((await replay()).code, 64, 'it does not replay everything by mistake');
	t.is((await replay('--from', 'yesterday')).code, 64);
	const unknown = await replay('--id', `evt_${'0'.repeat(26)}`);
	t.regex(unknown.json.error.message, /id: the account has no such event: event list shows those/);
	t.is(unknown.code, 1);

	t.is((await endpoint('remove', ...named)).code, 0);
	t.is((await endpoint('remove', ...named)).code, 1);
	t.is((await endpoint('remove', '--name', 'mailto:ops@agency.example')).code, 0);
	t.deepEqual((await endpoint('list')).json, []);
});

test('a receiver in a private network is not called unless a setting allows it', async (t) => {
	const run = openCommandRunner(t);
	t.is((await run('account', 'create', ...WHOSE)).code, 0);
	const receiver = await startReceiver(t);
	const named = [...WHOSE, '--name', 'crm'];
	t.is((await run('event', 'endpoint', 'put', ...named, '--url', receiver.url)).code, 0);
	const tested = await run('event', 'endpoint', 'test', ...named);
	t.like(tested.json, { received: false, status: null });
	t.is(tested.code, 1);
	t.is(receiver.calls.length, 0);
});
