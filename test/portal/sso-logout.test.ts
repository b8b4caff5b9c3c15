// Sessions end when the provider says that they have ended there, and people can leave the provider too.

import test from 'ava';
import { type OidcServer, startOidcServer } from '../helpers/oidc-server.ts';
import { ANNA, entriesOf, openSso, RULES, traveller } from '../helpers/sso-parts.ts';

const ENDED = '/portal/sso/works/ended';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
let works: OidcServer;
let other: OidcServer;

test.before(async () => {
	works = await startOidcServer('https://vault.example/portal/sso/works');
	other = await startOidcServer('https://vault.example/portal/sso/other');
});
test.after.always(async () => {
	await works.close();
	await other.close();
});

/** Opens two browsers of Anna and one of Ben, who all came by the works. */
async function open(t: Parameters<typeof openSso>[0]) {
	const parts = await openSso(t, { works, other }, RULES);
	const [first, second, ben] = [traveller(parts), traveller(parts), traveller(parts)];
	await first.come(works, ANNA);
	const session = works.lastSession();
	await second.come(works, ANNA);
	await ben.come(works, { subject: 'ben-1', name: 'ben', groups: ['clerks'] });
	const isIn = async (who: typeof first) => (await who.get('/portal/files')).statusCode === 200;
	const areIn = async () => [await isIn(first), await isIn(second), await isIn(ben)];
	t.deepEqual(await areIn(), [true, true, true]);
	const tell = (token: string, path = ENDED) =>
		parts.app.inject({ method: 'POST', url: path, headers: FORM, payload: `logout_token=${token}` });
	return { parts, first, session, areIn, tell };
}

test.serial('a logout token ends the session that it names, or all that somebody has by this provider', async (t) => {
	const { parts, session, areIn, tell } = await open(t);
	t.is((await tell(await works.logoutToken({ sub: 'anna-1', sid: session }))).statusCode, 200);
	t.deepEqual(await areIn(), [false, true, true]);
	const ended = (await entriesOf(parts, 'portal.session-end')).at(-1)!;
	t.is(ended.credential, 'provider works');
	t.deepEqual(ended.details, { sessions: 1, isOwn: false, provider: 'works' });
	t.is((await tell(await works.logoutToken({ sub: 'anna-1' }))).statusCode, 200);
	t.deepEqual(await areIn(), [false, false, true]);
	t.is((await tell(await works.logoutToken({ sub: 'nobody', sid: 'none' }))).statusCode, 200);
});

test.serial('a logout token counts only if this provider has just signed it for us', async (t) => {
	const { session, areIn, tell } = await open(t);
	const claims = { sub: 'anna-1', sid: session };
	const seconds = Math.floor(Date.now() / 1000);
	const good = await works.logoutToken(claims);
	const refused = {
		'of another provider': await other.logoutToken(claims),
		'that names another issuer': await other.logoutToken({ ...claims, iss: works.issuer }),
		'with a nonce, as ID tokens have': await works.logoutToken({ ...claims, nonce: 'n' }),
		'without an event': await works.logoutToken({ ...claims, events: {} }),
		'without anybody': await works.logoutToken({}),
		'that is old': await works.logoutToken({ ...claims, iat: seconds - 3600 }),
		'with another signature': `${good.slice(0, -8)}AAAAAAAA`,
		'without a signature': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${good.split('.')[1]}.`,
		'that is none': 'x',
	};
	for (const [what, token] of Object.entries(refused)) t.is((await tell(token)).statusCode, 400, what);
	t.is((await tell(good, '/portal/sso/other/ended')).statusCode, 400);
	t.is((await tell(good, '/portal/sso/nowhere/ended')).statusCode, 400);
	t.deepEqual(await areIn(), [true, true, true]);
});

test.serial('a browser tells of a session that has ended by its name at the provider', async (t) => {
	const { parts, session, areIn } = await open(t);
	const tell = (path: string) => parts.app.inject({ method: 'GET', url: path });
	const query = (iss: string, sid: string) => `?${new URLSearchParams({ iss, sid })}`;
	for (const wrong of ['', query(works.issuer, 'x'), query(other.issuer, session)])
		t.is((await tell(ENDED + wrong)).statusCode, 200);
	await tell(`/portal/sso/other/ended${query(works.issuer, session)}`);
	t.deepEqual(await areIn(), [true, true, true]);
	await tell(ENDED + query(works.issuer, session));
	t.deepEqual(await areIn(), [false, true, true]);
});

test.serial('whoever signs out here is offered to leave the provider too', async (t) => {
	const { parts, first, areIn } = await open(t);
	const out = await first.post('/portal/logout', {}, { from: '/portal/files' });
	t.is(out.headers.location, '/portal/login?left=works');
	t.deepEqual(await areIn(), [false, true, true]);
	const page = (await first.get('/portal/login?left=works')).body;
	t.regex(page, /At The works you are still signed in/);
	t.notRegex((await first.get('/portal/login?left=nobody')).body, /still signed in/);
	const leave = new URL((await first.get('/portal/sso/works/leave')).headers.location!);
	t.is(leave.origin, works.issuer);
	t.deepEqual(Object.fromEntries(leave.searchParams), {
		client_id: 'tokendrop',
		post_logout_redirect_uri: 'https://vault.example/portal/login',
	});
	t.is((await first.get('/portal/sso/nowhere/leave')).headers.location, '/portal/login');
	const manager = await parts.signIn('manager', { account: 'hotel' });
	t.is((await manager.post('/portal/logout')).headers.location, '/portal/login');
});
