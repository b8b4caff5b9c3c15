// Every daemon that runs has a lane of the audit trail of its own, and the lane of one that ended is free.

import test from 'ava';
import { openHeartbeat, SILENT_MS } from '../../src/installation/daemons/heartbeat.ts';
import { takeLane } from '../../src/installation/daemons/lane-choice.ts';
import { databases } from '../helpers/database.ts';
import { openIdentityParts } from '../helpers/identity-parts.ts';

for (const dialect of databases) {
	test(`daemons take lanes, each its own, and the first that is free (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const start = async (id: string) => {
			const { audit } = await parts.anotherDaemon();
			const daemon = { id, version: '0.1.0', knows: '0033-audit-lanes.contract' };
			const heartbeat = await openHeartbeat({ ...parts, logger: { warn() {} }, everyMs: 3_600_000 }, daemon);
			return { audit, heartbeat, lane: await takeLane({ ...parts, audit }, id) };
		};
		if (dialect === 'sqlite') {
			t.is((await start('one')).lane, 0);
			t.is((await start('two')).lane, 0, 'the embedded database has one writer');
			return;
		}
		const daemons = await Promise.all(['one', 'two', 'three'].map(start));
		t.deepEqual(daemons.map(({ lane }) => lane).sort(), [0, 1, 2]);
		const second = daemons.find(({ lane }) => lane === 1)!;
		await second.heartbeat.close();
		t.is((await start('four')).lane, 1, 'which the stopped one had');
		parts.turn(SILENT_MS + 1);
		t.is((await start('five')).lane, 0, 'all others are silent');
		await Promise.all(daemons.map(({ audit }) => audit.record({ actor: 'daemon', action: 'a.b', subject: 'c' })));
		t.true((await parts.audit.verify()).isWhole, 'also where two daemons share one');
	});

	test(`before the last migration all daemons write in one lane (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await parts.database.knex.schema.dropTable('audit_links');
		const daemon = { id: 'one', version: '0.1.0', knows: '0033-audit-lanes.contract' };
		for (const id of ['one', 'two']) {
			const heartbeat = await openHeartbeat({ ...parts, logger: { warn() {} } }, { ...daemon, id });
			t.teardown(() => heartbeat.close());
			t.is(await takeLane(parts, id), 0);
		}
		await parts.audit.record({ actor: 'daemon', action: 'a.b', subject: 'c' });
		t.true((await parts.audit.verify()).isWhole);
	});
}
