// What somebody tries who wants to come in as another person by a provider, or to learn what only the browser, the
// provider and we may know.

import test from 'ava';
import type { FailedLogin } from '../../src/trail/failed-logins.ts';
import { CLIENT_SECRET, type OidcServer, startOidcServer } from '../helpers/oidc-server.ts';
import type { PortalApp } from '../helpers/portal-app.ts';
import { ANNA, entriesOf, openSso, ours, RULES, traveller } from '../helpers/sso-parts.ts';

const START = '/portal/sso/works/start';
const MALLORY = { subject: 'mallory-1', name: 'mallory@works.example', groups: ['clerks'] };
let works: OidcServer;
/** A provider of somebody who wants to come in at the works. */
let other: OidcServer;

test.before(async () => {
	works = await startOidcServer('https://vault.example/portal/sso/works');
	other = await startOidcServer('https://vault.example/portal/sso/other');
});
test.after.always(async () => {
	await works.close();
	await other.close();
});

const isIn = (who: { cookies: Map<string, string> }) => who.cookies.has('__Host-tokendrop');

function personOf(parts: PortalApp, who: { cookies: Map<string, string> }) {
	return parts.portal.sessions.find(who.cookies.get('__Host-tokendrop'), '192.0.2.7');
}

test.serial('an answer serves once, also in the same browser', async (t) => {
	const parts = await openSso(t, { works }, RULES);
	const anna = traveller(parts);
	const back = await anna.visit(works, ANNA, START);
	const kept = anna.cookies.get('__Host-tokendrop-sign-on')!;
	t.is((await anna.comeBack(back)).statusCode, 303);
	t.false(anna.cookies.has('__Host-tokendrop-sign-on'), 'what was kept is gone');
	anna.cookies.delete('__Host-tokendrop');
	const again = await anna.comeBack(back);
	t.is(again.statusCode, 401);
	t.regex(again.body, /took too long, or it was begun in another browser/);
	// With a copy of what was kept, the provider still refuses the code.
	anna.cookies.set('__Host-tokendrop-sign-on', kept);
	t.is((await anna.comeBack(back)).statusCode, 401);
	t.false(isIn(anna));
});

test.serial('an answer lets nobody in in another browser', async (t) => {
	const parts = await openSso(t, { works }, RULES);
	const [anna, mallory] = [traveller(parts), traveller(parts)];
	// Mallory has Anna follow the answer that is for Mallory, so that Anna works in the account of Mallory.
	const trap = await mallory.visit(works, MALLORY, START);
	t.is((await anna.comeBack(trap)).statusCode, 401);
	// The same while Anna has begun to sign in herself.
	const own = await anna.visit(works, ANNA, START);
	t.is((await anna.comeBack(trap)).statusCode, 401);
	t.false(isIn(anna));
	// Mallory has got hold of Anna's answer, and has begun a visit.
	await mallory.visit(works, MALLORY, START);
	t.is((await mallory.comeBack(own)).statusCode, 401);
	const stolen = new URL(own, 'https://vault.example').searchParams;
	const forged = new URL(await mallory.visit(works, MALLORY, START), 'https://vault.example');
	forged.searchParams.set('code', stolen.get('code')!);
	t.is((await mallory.comeBack(ours(forged))).statusCode, 401, 'PKCE binds the code to the browser');
	t.false(isIn(mallory));
	t.is((await parts.database.knex('portal_sessions')).length, 0);
});

test.serial('an answer of one provider is none of another', async (t) => {
	const parts = await openSso(t, { works, other }, RULES);
	const anna = traveller(parts);
	const back = await anna.visit(works, ANNA, START);
	// The answer is sent to the address of the other provider, which would then get the code.
	const before = other.asked.length;
	t.is((await anna.comeBack(back.replace('/sso/works', '/sso/other'))).statusCode, 401);
	t.is(other.asked.length, before, 'the other provider was told nothing');
	// A browser that was at the other provider gets an answer that says it comes from the works.
	const theirs = new URL(await anna.visit(other, ANNA, '/portal/sso/other/start'), 'https://vault.example');
	theirs.searchParams.set('iss', works.issuer);
	t.is((await anna.comeBack(ours(theirs))).statusCode, 401);
	t.false(isIn(anna));
});

test.serial('the same subject at another provider is somebody else', async (t) => {
	const parts = await openSso(t, { works, other }, RULES);
	const anna = traveller(parts);
	await anna.come(works, ANNA);
	const user = (await personOf(parts, anna))!.user;
	const mallory = traveller(parts);
	const answer = await mallory.come(other, { ...ANNA, name: 'mallory@other.example' }, '/portal/sso/other/start');
	t.is(answer.statusCode, 303);
	t.not((await personOf(parts, mallory))!.user.id, user.id);
});

test.serial('nothing leads out of the portal', async (t) => {
	const parts = await openSso(t, { works }, RULES);
	for (const next of [
		'https://evil.example/',
		'//evil.example/',
		'/\\evil.example',
		'/portal/../docs',
		'/portal/sso/x',
	]) {
		const anna = traveller(parts);
		const answer = await anna.come(works, ANNA, `${START}?${new URLSearchParams({ next })}`);
		t.is(answer.statusCode, 303, next);
		t.regex(answer.headers.location!, /^\/portal(?:\/\.\.\/docs)?$/, next);
	}
	// Whoever writes the cookie of their own browser gets no further either.
	const anna = traveller(parts);
	const back = await anna.visit(works, ANNA, START);
	const kept = JSON.parse(Buffer.from(anna.cookies.get('__Host-tokendrop-sign-on')!, 'base64url').toString());
	const altered = { ...kept, next: 'https://evil.example/' };
	anna.cookies.set('__Host-tokendrop-sign-on', Buffer.from(JSON.stringify(altered)).toString('base64url'));
	t.is((await anna.comeBack(back)).headers.location, '/portal');
	for (const nonsense of [
		'',
		'x',
		Buffer.from('null').toString('base64url'),
		Buffer.from('{"provider":1}').toString('base64url'),
	]) {
		anna.cookies.set('__Host-tokendrop-sign-on', nonsense);
		t.is((await anna.comeBack(back)).statusCode, 401);
	}
	const goes = await anna.get(START);
	t.true(goes.headers.location!.startsWith(`${works.issuer}/auth?`));
	t.is(goes.headers['referrer-policy'], 'no-referrer');
});

test.serial('codes, tokens, verifiers and secrets are in no log, trail, page or address of ours', async (t) => {
	const parts = await openSso(t, { works }, RULES);
	const anna = traveller(parts);
	const told: string[] = [];
	const back = await anna.visit(works, ANNA, START);
	const kept = JSON.parse(Buffer.from(anna.cookies.get('__Host-tokendrop-sign-on')!, 'base64url').toString());
	const { code, state } = Object.fromEntries(new URL(back, 'https://vault.example').searchParams);
	const first = await anna.comeBack(back);
	const replay = traveller(parts);
	replay.cookies.set('__Host-tokendrop-sign-on', Buffer.from(JSON.stringify(kept)).toString('base64url'));
	const second = await replay.comeBack(back);
	t.is(second.statusCode, 401);
	told.push(first.headers.location!, second.body, parts.logText());
	for (const table of ['audit', 'portal_sessions', 'portal_identities', 'portal_logins'])
		told.push(JSON.stringify(await parts.database.knex(table)));
	const secrets = [code, state, kept.pending.verifier, kept.pending.nonce, CLIENT_SECRET, 'eyJ'];
	for (const secret of secrets) {
		t.truthy(secret);
		t.false(told.join('\n').includes(secret), secret);
	}
	const atProvider = works.asked.join('\n');
	t.false(atProvider.includes(kept.pending.verifier), 'addresses at the provider do not hold the verifier');
	t.false(atProvider.includes(CLIENT_SECRET));
});

test.serial('whoever writes to the database links nobody', async (t) => {
	const parts = await openSso(t, { works }, RULES);
	const [anna, mallory] = [traveller(parts), traveller(parts)];
	await anna.come(works, ANNA);
	await mallory.come(works, MALLORY);
	const { knex } = parts.database;
	const { id } = (await personOf(parts, anna))!.user;
	await knex('portal_identities').where({ subject: 'mallory-1' }).update({ user_id: id });
	t.is((await mallory.come(works, MALLORY)).statusCode, 403);
	// Sessions by a provider cannot be made to last.
	await knex('portal_sessions').where({ user_id: id }).update({ kind: 'open' });
	t.is(await personOf(parts, anna), undefined);
});

test.serial('visits that failed are noted with the address and the reason', async (t) => {
	const noted: string[] = [];
	const failedLogins = {
		note: ({ door, method, reason }: FailedLogin) => void noted.push(`${door} ${method} ${reason}`),
	};
	const parts = await openSso(t, { works }, '', { failedLogins });
	const mallory = traveller(parts);
	const back = await mallory.visit(works, MALLORY, START);
	const kept = mallory.cookies.get('__Host-tokendrop-sign-on')!;
	await mallory.comeBack(back);
	mallory.cookies.set('__Host-tokendrop-sign-on', kept);
	await mallory.comeBack(back);
	t.deepEqual(noted, [
		'portal provider portal: unknown at this installation',
		'portal provider portal: answer-not-valid',
	]);
	t.is((await entriesOf(parts, 'portal.login')).length, 0);
});
