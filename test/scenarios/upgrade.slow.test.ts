// An upgrade without a pause: a later version adds what it needs while a daemon of this version works on, also after a new
// start, which is the way back. What the later version removes is refused while a daemon of this version runs.

import test from 'ava';
import { migrations } from '../../src/base/database/migrations/index.ts';
import type { Migration } from '../../src/base/database/migrations/migration.ts';
import { migrate } from '../../src/base/database/schema.ts';
import { requireNoOlderDaemon } from '../../src/installation/daemons/upgrade.ts';
import { startInstallation } from '../helpers/daemon.ts';
import { openSession } from '../helpers/daemon-session.ts';
import { databases } from '../helpers/database.ts';

const later: Migration[] = [
	...migrations,
	{
		name: '9001-later.expand',
		async up(knex) {
			await knex.schema.createTable('of_later', (table) => void table.integer('id').primary());
			await knex.schema.alterTable('jobs', (table) => void table.string('of_later').nullable());
			await knex.schema.alterTable('pages', (table) => void table.integer('of_later').notNullable().defaultTo(7));
			await knex.schema.alterTable('accounts', (table) => void table.string('of_later').nullable());
		},
	},
	{
		name: '9002-later.contract',
		up: (knex) => knex.schema.alterTable('jobs', (table) => void table.dropColumn('last_message')),
	},
];

const CARDS = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2031\n';

for (const dialect of databases) {
	test(`${dialect}: a daemon works on beside the first half of an upgrade, and the way back is open until the second`, async (t) => {
		const { installation, daemon } = await startInstallation(t, { dialect });
		const { database } = await installation.parts();
		const beforeChange = (last: string) => requireNoOlderDaemon(database, last, Date.now());
		const works = async (running: typeof daemon, name: string) => {
			const session = await openSession(t, installation, running);
			await session.put(`/tokenize/SIMPLECSV/${name}`, Buffer.from(CARDS));
			t.regex((await session.arrival(`/tokenized/SIMPLECSV/${name}`)).toString(), /^[0-9a-f]{32},12,2031$/m);
			session.end();
		};
		t.deepEqual(await migrate(database, { steps: later, expandOnly: true }), ['9001-later.expand']);
		await works(daemon, 'beside.csv');
		const error = await t.throwsAsync(migrate(database, { steps: later, beforeChange }));
		t.regex(
			error.message,
			/9002-later\.contract removes or changes what daemons of an earlier version use, and these run: /,
		);
		t.regex(error.message, new RegExp(`:${daemon.pid}:`));

		t.is(await daemon.stop(), 0);
		const back = await installation.start();
		t.regex(back.log(), /an upgrade is under way: a later version has added 9001-later\.expand; this version works on/);
		await works(back, 'back.csv');
		const { findings } = await installation.json('doctor');
		const upgrade = findings.find((finding: { part: string }) => finding.part === 'schema');
		t.like(upgrade, { state: 'warning' });
		t.regex(upgrade.todo, /or go back/);
		const plan = await installation.json('migrate', '--plan');
		t.deepEqual(plan.later, ['9001-later.expand']);
		t.deepEqual(plan.steps, []);
		t.is(plan.daemons.length, 1);

		t.is(await back.stop(), 0);
		t.deepEqual(await migrate(database, { steps: later, beforeChange }), ['9002-later.contract']);
		await t.throwsAsync(installation.start(), { message: /of a later version, which added 9002-later\.contract/ });
	});
}
