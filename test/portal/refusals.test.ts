// Tests that the trail has what the portal refused to people who are signed in (PCI DSS 10.2.1.4).

import test from 'ava';
import { openPortalApp, type PortalApp } from '../helpers/portal-app.ts';

async function refusals({ database }: PortalApp) {
	const rows = await database.knex('audit').where({ action: 'portal.refuse' }).orderBy('seq');
	return rows.map(({ actor, subject, details }) => ({ actor, subject, ...JSON.parse(details) }));
}

test('what a role may not do is refused and recorded with the user, the page and the right', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const weak = await parts.signIn('manager', { hasSecondFactor: false });
	const boss = (await parts.signIn('manager')).viewer.user.id;
	const { id } = clerk.viewer.user;
	t.is((await clerk.get('/portal/people')).statusCode, 403);
	t.is((await clerk.post('/portal/access/keys', { 'may-Relay': 'yes' })).statusCode, 403);
	t.is((await weak.post(`/portal/people/${boss}/link`)).statusCode, 403);
	const forged = await parts.app.inject({
		method: 'POST',
		url: '/portal/me/recovery',
		payload: '_csrf=x',
		headers: { cookie: clerk.cookie, 'content-type': 'application/x-www-form-urlencoded' },
	});
	t.is(forged.statusCode, 403);
	const by = (userId: number) => ({ subject: `portal-user ${userId}`, credential: `portal-user ${userId}` });
	const recorded = await refusals(parts);
	t.like(recorded[0], { ...by(id), actor: 'agency', page: 'GET /portal/people', right: 'people.see', reason: 'right' });
	t.like(recorded[1], { ...by(id), page: 'POST /portal/access/keys', right: 'access.change', reason: 'right' });
	t.like(recorded[2], { ...by(weak.viewer.user.id), page: 'POST /portal/people/:id/link', reason: 'permission' });
	t.like(recorded[3], { ...by(id), page: 'POST /portal/me/recovery', reason: 'forged' });
	t.is(recorded.length, 4);
	t.is(recorded[0].address, '127.0.0.1');
	t.is((await clerk.get('/portal/cards')).statusCode, 200);
	t.is((await clerk.get('/portal/cards/nothing')).statusCode, 404, 'what is not there is no refusal');
	t.is((await refusals(parts)).length, 4);
	t.true((await parts.audit.verify()).isWhole);
});

test('nobody floods the trail with refusals, and a trail that fails refuses all the same', async (t) => {
	const parts = await openPortalApp(t);
	const viewer = await parts.signIn('viewer');
	const refused = async () => t.is((await viewer.get('/portal/people')).statusCode, 403);
	for (let calls = 0; calls < 25; calls++) await refused();
	t.is((await refusals(parts)).length, 20);
	parts.clock.turn(10 * 60_000);
	await refused();
	t.is((await refusals(parts)).length, 21);
	parts.audit.record = async () => {
		throw new Error('the database is gone');
	};
	await refused();
	t.regex(parts.logText(), /missing in the audit trail/);
});
