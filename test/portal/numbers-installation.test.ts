// Tests what operators see of the installation: whether all is well, and if not, why.

import test from 'ava';
import { auditStore } from '../../src/trail/audit-store.ts';
import { checkStore } from '../../src/trail/checks/check-store.ts';
import { verifyEnd } from '../../src/trail/checks/verify-trail.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

for (const dialect of databases) {
	test(`${dialect}: the end of the trail shows a change, and a page says so`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const { knex } = parts.database;
		for (let entry = 0; entry < 8; entry++)
			await parts.audit.record({ actor: 'a', action: 'b', subject: `c ${entry}` });
		const seq = await auditStore(knex).findLastSeq();
		for (const count of [1, 3, 100]) t.true((await verifyEnd(knex, parts.keyRing, count)).isWhole, String(count));
		await knex('audit')
			.where({ seq: seq - 2 })
			.update({ subject: 'c x' });
		t.true((await verifyEnd(knex, parts.keyRing, 1)).isWhole, 'it is not among the last');
		t.like(await verifyEnd(knex, parts.keyRing, 4), { isWhole: false, brokenAt: seq - 2, reason: 'altered' });
		await knex('audit')
			.where({ seq: seq - 2 })
			.delete();
		t.like(await verifyEnd(knex, parts.keyRing, 100), { isWhole: false, reason: 'missing', brokenAt: seq - 2 });
		await knex('audit').where({ seq }).delete();
		t.false((await verifyEnd(knex, parts.keyRing, 1)).isWhole);
		await checkStore(knex).put({ at: 1, entries: 5, broken_at: null, reason: null });
		await checkStore(knex).put({ at: 2, entries: 5, broken_at: 3, reason: 'altered' });
		t.like(await checkStore(knex).find(), { at: 2, reason: 'altered' });
	});
}
