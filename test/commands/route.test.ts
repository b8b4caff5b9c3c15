import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { makeFolder } from '../helpers/file-parts.ts';
import { openInstallation } from '../helpers/operator-commands.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

const WHOSE = ['--user-id', 'agency'];
const ROUTE = 'name: nightly\nfrom: { folder: FOLDER, path: in }\ndo: { operation: tokenize, filter: GBT }\n';
const TO = 'to: { drop: /tokenized/GBT }\nwhen: { cron: "30 2 * * *", timeZone: Europe/Berlin }\n';

/** Opens an installation with the account `agency` and a folder that routes may use. */
async function openAgency(t: ExecutionContext) {
	const folder = makeFolder(t);
	const run = openCommandRunner(t, { TOKENDROP_ROUTES_FOLDERS: folder });
	t.is((await run('account', 'create', ...WHOSE)).code, 0);
	const file = join(folder, 'route.yaml');
	const put = (text: string) => {
		writeFileSync(file, text.replaceAll('FOLDER', folder));
		return run('route', 'put', ...WHOSE, '--file', file);
	};
	const route = (verb: string, ...more: string[]) => run('route', verb, ...WHOSE, ...more);
	return { folder, run, put, route };
}

test('a route is put, listed, shown, paused, resumed and removed', async (t) => {
	const { folder, run, put, route } = await openAgency(t);
	const first = await put(ROUTE + TO);
	t.is(first.code, 0, first.stderr);
	t.like(first.json, { name: 'nightly', state: 'waiting', lastRunAt: null, timeZone: 'Europe/Berlin' });
	t.like(first.json.document.from, { folder, path: 'in', again: 'never' });

	const [listed] = (await route('list')).json;
	t.deepEqual(Object.keys(listed), ['name', 'state', 'nextRunAt', 'lastRunAt', 'lastOutcome', 'timeZone']);
	t.regex(listed.nextRunAt, /T0[01]:30:00\.000Z$/, '02:30 in Berlin');
	t.regex((await run.text('route', 'list', ...WHOSE)).stdout, /nightly +waiting +\S+T\S+ +Europe\/Berlin/);

	const named = ['--name', 'nightly'];
	t.like((await route('pause', ...named)).json, { state: 'paused', nextRunAt: null });
	t.true((await route('show', ...named)).json.document.paused);
	t.like((await route('resume', ...named)).json, { state: 'waiting', nextRunAt: listed.nextRunAt });
	t.like((await route('show', ...named)).json, { state: 'waiting', document: { missed: 'run', paused: false } });
	t.true((await route('remove', ...named)).json.removed);
	t.is((await route('remove', ...named)).code, 1);
	const gone = await route('show', ...named);
	t.is(gone.code, 1);
	t.is(gone.json.error.reason, 'uri-not-found');
	const trail = await run('audit', 'verify');
	t.is(trail.code, 0, trail.stderr);
});

test('a route with faults is not stored, and one that is replaced keeps its place', async (t) => {
	const { put, route } = await openAgency(t);
	const bad = await put(`${ROUTE}to: { drop: /tokenized/GBTT }\nwhen: { evry: 15m }\n`);
	t.is(bad.code, 1);
	t.regex(bad.json.error.message, /to\.drop: expected a filter at its end.*\n.*when(\.evry)?: /);
	t.deepEqual((await route('list')).json, []);
	await put(ROUTE + TO);
	t.is((await put(`${ROUTE}to: { drop: /tokenized/CSV }\n`)).code, 0);
	t.like((await route('list')).json, [{ name: 'nightly', nextRunAt: null, timeZone: 'UTC' }]);
	t.is((await route('show', '--name', 'nightly')).json.document.to.drop, '/tokenized/CSV');
});

test('two operators put a route through which card numbers leave, and one puts any other', async (t) => {
	const { as, folder, addByToken, withApproval } = await openInstallation(t);
	await addByToken('alice', 'keys');
	await addByToken('bob', 'operate', 'alice');
	await as('bob')('account', 'create', ...WHOSE);
	const file = join(folder, 'route.json');
	const write = (operation: string) => {
		const ends = { from: { drop: '/tokenized/GBT' }, to: { drop: '/detokenized/GBT' } };
		writeFileSync(file, JSON.stringify({ name: 'back', ...ends, do: { operation, filter: 'GBT' } }));
	};
	const put = ['route', 'put', ...WHOSE, '--file', file];
	write('none');
	t.is((await as('bob')(...put)).code, 0);
	write('detokenize');
	const alone = await as('bob')(...put);
	t.is(alone.code, 77);
	t.regex(alone.stderr, /second operator has to approve/);
	t.is((await withApproval('bob', 'alice', ...put)).code, 0);
	t.is((await as('bob')('route', 'show', ...WHOSE, '--name', 'back')).json.document.do.operation, 'detokenize');
});
