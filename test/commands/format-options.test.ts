import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres') {
	const { url, ...database } = await openTestDatabase(t, dialect);
	const run = openCommandRunner(t, { TOKENDROP_DATABASE_URL: url });
	await run('account', 'create', '--user-id', 'agency');
	const file = join(run.dataDir, 'options.json');
	writeFileSync(file, '{"onRefused":"mask"}');
	return { run, file, knex: database.knex };
}

for (const dialect of databases) {
	test(`${dialect}: options change together with their entry in the audit trail, or not at all`, async (t) => {
		const { run, file, knex } = await open(t, dialect);
		const scope = ['--user-id', 'agency', '--filter', 'GBT'];
		const failing = async (...argv: string[]) => {
			await knex.raw('alter table audit rename to audit_away');
			t.is((await run('format-options', ...argv)).code, 1);
			await knex.raw('alter table audit_away rename to audit');
		};
		const options = async () => (await run('format-options', 'show', ...scope)).json.options;
		await failing('put', ...scope, '--file', file);
		t.deepEqual(await options(), {});
		t.is((await run('format-options', 'put', ...scope, '--file', file)).code, 0);
		await failing('remove', ...scope);
		t.deepEqual(await options(), { onRefused: 'mask' });
		t.true((await run('format-options', 'remove', ...scope)).json.removed);
		t.false((await run('format-options', 'remove', ...scope)).json.removed);
		const entries = await knex('audit').where('action', 'like', 'format-options.%').orderBy('seq');
		t.deepEqual(
			entries.map(({ action, subject, details }) => [action, subject, details]),
			['put', 'remove'].map((name) => [`format-options.${name}`, 'account agency', '{"filter":"GBT"}']),
		);
		t.is((await run('audit', 'verify')).code, 0);
	});
}
