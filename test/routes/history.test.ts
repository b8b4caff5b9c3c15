import { join } from 'node:path';
import test from 'ava';
import { openDatabase } from '../../src/base/database/open.ts';
import { namesIn, openRouteParts, writeOld } from '../helpers/route-parts.ts';

test('a file ends only together with what the history says of it, so that no run forgets one', async (t) => {
	const { folder, put, route, run, runNow } = await openRouteParts(t);
	const change = async (sql: string) => {
		const database = await openDatabase({ url: `sqlite:${join(run.dataDir, 'tokendrop.sqlite')}` });
		await database.knex.raw(sql);
		await database.close();
	};
	writeOld(folder, 'may.csv');
	const from = { folder, files: ['may.csv'] };
	await put(from, { operation: 'none' }, { folder, name: 'out-{name}' }, { retry: { tries: 8, first: '1s' } });
	// The history takes nothing, as if the daemon had ended before it could write there.
	await change(`create trigger no_history before insert on route_run_files begin select raise(abort, 'no'); end`);
	t.is((await runNow()).state, 'failed');
	t.deepEqual(namesIn(folder), ['may.csv', 'out-may.csv']);
	await change('drop trigger no_history');
	t.like(await runNow(), { state: 'done', files: [{ path: 'may.csv', state: 'delivered' }] });
	t.deepEqual(namesIn(folder), ['may.csv', 'out-may.csv'], 'it is not delivered again');
	t.like((await route('files', '--name', 'r')).json, [{ path: 'may.csv', state: 'done' }]);
});
