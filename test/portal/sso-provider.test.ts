// Sign-in at a real OpenID provider, and what somebody gets who mixes answers up.

import { inspect } from 'node:util';
import test from 'ava';
import { type OutboundClient, openOutboundClient } from '../../src/base/outbound/http-client.ts';
import { openProvider, type ProviderSettings, SignInError } from '../../src/people/portal-users/sso/provider.ts';
import { CLIENT_ID, CLIENT_SECRET, type OidcServer, startOidcServer } from '../helpers/oidc-server.ts';

const REDIRECT_URI = 'https://vault.example/portal/sso/works';
const ANNA = { subject: 'anna-1', groups: ['clerks', 'berlin'], name: 'anna@works.example' };

const outbound = openOutboundClient({ allowPrivate: true, maxInFlight: 10 });
let server: OidcServer;

test.before(async () => {
	server = await startOidcServer(REDIRECT_URI);
});
test.after.always(async () => {
	await outbound.close();
	await server.close();
});

function settingsOf(issuer: string): ProviderSettings {
	return {
		issuer,
		clientId: CLIENT_ID,
		clientSecret: CLIENT_SECRET,
		scopes: ['groups'],
		groupsClaim: 'groups',
		nameClaim: 'preferred_username',
		secondFactorAcrs: [],
		secondFactorClaim: 'acr',
		directoryClaim: 'sub',
		redirectUri: REDIRECT_URI,
		allowHttp: true,
	};
}

function opened() {
	return openProvider({ outbound, settings: settingsOf(server.issuer) });
}

function fails(problem: string) {
	return { instanceOf: SignInError, message: `sign-in at the provider failed: ${problem}` };
}

test.serial('a person comes back with issuer, subject and groups', async (t) => {
	const provider = opened();
	const { url, pending } = await provider.begin();
	t.is(url.searchParams.get('code_challenge_method'), 'S256');
	t.false(url.href.includes(pending.verifier), 'the verifier stays here');
	const { searchParams } = await server.signIn(url, ANNA);
	const { session, provenAtMs, ...person } = await provider.finish(searchParams, pending);
	t.deepEqual(person, {
		issuer: server.issuer,
		subject: 'anna-1',
		groups: ['clerks', 'berlin'],
		hasSecondFactor: false,
		name: 'anna@works.example',
		directoryId: 'anna-1',
	});
	t.truthy(session);
	t.true(Math.abs(provenAtMs! - Date.now()) < 60_000);
});

test.serial('a second factor counts if the provider says that it took one', async (t) => {
	const provider = opened();
	for (const [amr, expected] of [
		[['pwd', 'mfa'], true],
		[['pwd'], false],
	] as const) {
		const { url, pending } = await provider.begin();
		const { searchParams } = await server.signIn(url, { ...ANNA, amr });
		t.is((await provider.finish(searchParams, pending)).hasSecondFactor, expected);
	}
});

test.serial('a second factor is asked for by the value with which the provider says that it took one', async (t) => {
	const with_ = (more: Partial<ProviderSettings>) =>
		openProvider({ outbound, settings: { ...settingsOf(server.issuer), ...more } });
	const acr = with_({ secondFactorAcrs: ['2fa', 'hardware'] });
	const { url, pending } = await acr.begin();
	t.is(url.searchParams.get('acr_values'), '2fa');
	const { searchParams } = await server.signIn(url, { ...ANNA, acr: 'hardware' });
	t.true((await acr.finish(searchParams, pending)).hasSecondFactor);
	const again = await acr.begin();
	const weak = await server.signIn(again.url, { ...ANNA, acr: 'password' });
	t.false((await acr.finish(weak.searchParams, again.pending)).hasSecondFactor);
	const acrs = (await with_({ secondFactorAcrs: ['c1'], secondFactorClaim: 'acrs' }).begin()).url.searchParams;
	t.is(acrs.get('claims'), '{"id_token":{"acrs":{"essential":true,"value":"c1"}}}');
	t.is(acrs.get('acr_values'), null);
});

test.serial('a code works once, and the error of a replay holds neither code nor secret', async (t) => {
	const provider = opened();
	const { url, pending } = await provider.begin();
	const { searchParams } = await server.signIn(url, ANNA);
	await provider.finish(searchParams, pending);
	const error = await t.throwsAsync(provider.finish(searchParams, pending), fails('answer-not-valid'));
	const told = inspect(error, { depth: 10, showHidden: true });
	for (const secret of [searchParams.get('code')!, pending.verifier, CLIENT_SECRET]) t.false(told.includes(secret));
});

test.serial('an answer to the sign-in of another browser is refused', async (t) => {
	const provider = opened();
	const [mine, theirs] = [await provider.begin(), await provider.begin()];
	const { searchParams } = await server.signIn(theirs.url, ANNA);
	await t.throwsAsync(provider.finish(searchParams, mine.pending), fails('answer-not-valid'));
	const forged = new URLSearchParams(searchParams);
	forged.set('state', mine.pending.state);
	await t.throwsAsync(provider.finish(forged, mine.pending), fails('answer-not-valid'), 'PKCE binds the code');
});

test.serial('an ID token that was made for another sign-in is refused', async (t) => {
	const provider = opened();
	const [mine, theirs] = [await provider.begin(), await provider.begin()];
	const { searchParams } = await server.signIn(theirs.url, ANNA);
	const mixed = { ...theirs.pending, nonce: mine.pending.nonce };
	await t.throwsAsync(provider.finish(searchParams, mixed), fails('answer-not-valid'));
});

test.serial('an ID token is refused if its signature is not one of the provider', async (t) => {
	const altering: Pick<OutboundClient, 'call'> = {
		async call(call) {
			const answer = await outbound.call(call);
			if (!call.url.pathname.endsWith('/token')) return answer;
			const tokens = JSON.parse(answer.body.toString()) as { id_token: string };
			const [head, claims, signature] = tokens.id_token.split('.') as [string, string, string];
			const altered = `${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`;
			return { ...answer, body: Buffer.from(JSON.stringify({ ...tokens, id_token: `${head}.${claims}.${altered}` })) };
		},
	};
	const provider = openProvider({ outbound: altering, settings: settingsOf(server.issuer) });
	const { url, pending } = await provider.begin();
	const { searchParams } = await server.signIn(url, ANNA);
	await t.throwsAsync(provider.finish(searchParams, pending), fails('answer-not-valid'));
});

test.serial('an answer that names another issuer, or none, is refused before its code is sent', async (t) => {
	const provider = opened();
	const { url, pending } = await provider.begin();
	const { searchParams } = await server.signIn(url, ANNA);
	const other = new URLSearchParams(searchParams);
	other.set('iss', 'https://attacker.example');
	await t.throwsAsync(provider.finish(other, pending), fails('answer-not-valid'));
	other.delete('iss');
	await t.throwsAsync(provider.finish(other, pending), fails('answer-not-valid'));
	t.is((await provider.finish(searchParams, pending)).subject, 'anna-1', 'the code was not used up');
});

test.serial('a person whom the provider refuses is told so', async (t) => {
	const provider = opened();
	const { pending } = await provider.begin();
	const query = new URLSearchParams({ error: 'access_denied', state: pending.state, iss: server.issuer });
	await t.throwsAsync(provider.finish(query, pending), fails('refused-by-provider'));
});

test.serial('a provider on a private address is not called unless the installation allows it', async (t) => {
	const strict = openOutboundClient({ allowPrivate: false, maxInFlight: 10 });
	const provider = openProvider({ outbound: strict, settings: settingsOf(server.issuer) });
	await t.throwsAsync(provider.begin(), fails('provider-unreachable'));
	await strict.close();
});

test.serial('the address for leaving the provider holds no token', async (t) => {
	const url = await opened().logoutUrl('https://vault.example/portal/login');
	t.deepEqual([...url!.searchParams.keys()].sort(), ['client_id', 'post_logout_redirect_uri']);
});
