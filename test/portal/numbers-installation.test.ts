// Tests what operators see of the installation: whether all is well, and if not, why.

import test from 'ava';
import { trailPart } from '../../src/doors/http/portal/pages/numbers/trail-part.ts';
import type { PortalCall } from '../../src/doors/http/portal/portal-page.ts';
import { PORTAL_LANGUAGES, type PortalLanguage, sayIn, TEXTS, textsUnder } from '../../src/doors/http/portal/texts.ts';
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

test('a broken trail is told in words of every language with the code beside, and an unknown code stands alone', (t) => {
	const view = {
		entries: 7,
		lastNote: undefined,
		targets: [],
		end: { verdict: { isWhole: true, entries: 7 }, count: 7 },
	} as const;
	for (const language of Object.keys(PORTAL_LANGUAGES) as PortalLanguage[]) {
		const call = { say: sayIn(language), language } as unknown as PortalCall;
		const shown = (reason: string) => {
			const lastCheck = { at: 2, entries: 5, broken_at: 3, reason: reason as 'altered' };
			return String(trailPart(call, { ...view, lastCheck }));
		};
		const breaks = Object.keys(textsUnder(language, 'installation.audit.breaks.'));
		t.is(breaks.length, 13);
		for (const reason of breaks) {
			const words = TEXTS[language][`installation.audit.breaks.${reason}` as keyof (typeof TEXTS)['en']];
			t.true(shown(reason).includes(`${words} (${reason})`), `${language} ${reason}`);
		}
		t.true(shown('unlike its notes').includes('unlike its notes</span>'), language);
	}
});
