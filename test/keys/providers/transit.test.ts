import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { openTransitRootKey, type TransitPlace } from '../../../src/base/keys/providers/transit.ts';
import { RootKeyAwayError, RootKeyError } from '../../../src/base/keys/root-key.ts';
import { temporaryFolder } from '../../helpers/key-services/providers.ts';
import { openTransitDouble } from '../../helpers/key-services/transit-server.ts';
import { makeAuthority } from '../../helpers/outbound-servers.ts';

const MATERIAL = Buffer.alloc(32, 7);

async function openScene(
	t: ExecutionContext,
	place: Partial<TransitPlace> = {},
	options: Parameters<typeof openTransitDouble>[1] = {},
) {
	const service = await openTransitDouble(t, options);
	service.makeKey('ours');
	const folder = temporaryFolder(t);
	const tokenFile = join(folder, 'token');
	writeFileSync(tokenFile, 'hvs.test\n', { mode: 0o600 });
	const common = { url: service.url, mount: 'transit', keyName: 'ours', namespace: null, caFile: null };
	const root = openTransitRootKey({ ...common, tokenFile, roleId: null, secretIdFile: null, ...place });
	t.teardown(() => root.close());
	return { service, root, folder, tokenFile };
}

for (const [state, says] of [
	['sealed', /sealed; unseal it \(503: Vault is sealed\)/],
	['uninitialised', /not initialised; initialise it/],
	['standby', /the node is a standby that reaches no active node \(500: local node not active/],
	['secondary', /the node is a secondary for disasters \(472\)/],
	['elsewhere', /the node is a standby that reaches no active node \(307\)/],
	['busy', /it has had too many calls \(429: .*rate limit quota exceeded/],
] as const) {
	test(`a service that is ${state} is away, is named with what it answers, and is asked again when it serves`, async (t) => {
		const { service, root } = await openScene(t);
		const wrapped = await root.wrap(MATERIAL);
		service.state = state;
		const error = await t.throwsAsync(root.unwrap(wrapped), { instanceOf: RootKeyAwayError, message: says });
		t.regex(error!.message, /^transit key ours of http:/);
		service.state = 'active';
		t.deepEqual(await root.unwrap(wrapped), MATERIAL);
	});
}

test('a service that is sealed or busy for a moment is asked again, and nobody notices', async (t) => {
	const { service, root } = await openScene(t);
	const wrapped = await root.wrap(MATERIAL);
	for (const state of ['sealed', 'busy', 'standby'] as const) {
		service.state = state;
		let count = 0;
		service.onOperation = (name) => name.startsWith('transit/') && ++count === 3 && (service.state = 'active');
		t.deepEqual(await root.unwrap(wrapped), MATERIAL, state);
	}
});

test('a version of the key that is disabled is told apart from another key', async (t) => {
	const { service, root } = await openScene(t);
	const wrapped = await root.wrap(MATERIAL);
	service.retireVersions('ours');
	const error = await t.throwsAsync(root.unwrap(wrapped), {
		instanceOf: RootKeyError,
		message: /min_decryption_version/,
	});
	t.false(error instanceof RootKeyAwayError);
	t.deepEqual(await root.unwrap(await root.wrap(MATERIAL)), MATERIAL, 'the next version wraps what is new');
});

test('an engine that is mounted elsewhere is told', async (t) => {
	const { root } = await openScene(t, { mount: 'other/place' });
	await t.throwsAsync(root.wrap(MATERIAL), {
		instanceOf: RootKeyError,
		message: /look at keys\.transit\.mount \(404\)/,
	});
});

test('a token in a file is read each time and kept alive, and one that may only encrypt is told', async (t) => {
	const { service, root, tokenFile } = await openScene(t);
	const wrapped = await root.wrap(MATERIAL);
	await root.unwrap(wrapped);
	t.deepEqual(service.operations, ['auth/token/renew-self', 'transit/encrypt/ours', 'transit/decrypt/ours']);
	service.tokens.clear();
	service.tokens.set('hvs.next', { seconds: 0.001, policy: 'wraps' });
	await t.throwsAsync(root.unwrap(wrapped), {
		instanceOf: RootKeyAwayError,
		message: /login is refused; renew the token/,
	});
	writeFileSync(tokenFile, 'hvs.next');
	await root.unwrap(wrapped);
	await sleep(10);
	await root.unwrap(wrapped);
	t.is(
		service.operations.filter((name) => name === 'auth/token/renew-self').length,
		3,
		'a short token is renewed early',
	);
	service.tokens.set('hvs.next', { seconds: 60, policy: 'encrypts' });
	await t.notThrowsAsync(root.wrap(MATERIAL));
	await t.throwsAsync(root.unwrap(wrapped), {
		message: /let its policy update encrypt and decrypt.*permission denied/,
	});
});

test('an AppRole logs in once, again when its token ends, and says when its secret id does', async (t) => {
	const folder = temporaryFolder(t);
	const secretIdFile = join(folder, 'secret-id');
	writeFileSync(secretIdFile, 'the secret\n', { mode: 0o600 });
	const { service, root } = await openScene(t, { tokenFile: null, roleId: 'the role', secretIdFile });
	service.roles.set('the role', 'the secret');
	const wrapped = await root.wrap(MATERIAL);
	await root.unwrap(wrapped);
	const logins = () => service.operations.filter((name) => name === 'auth/approle/login').length;
	t.is(logins(), 1);
	// The service has forgotten the token, for example because somebody revoked it.
	service.tokens.clear();
	t.deepEqual(await root.unwrap(wrapped), MATERIAL);
	t.is(logins(), 2);
	service.roleSeconds = 0.001;
	service.tokens.clear();
	await root.unwrap(wrapped);
	await sleep(10);
	await root.unwrap(wrapped);
	t.is(logins(), 4, 'a token whose time is over is not tried');
	service.roles.set('the role', 'another secret');
	await sleep(10);
	await t.throwsAsync(root.unwrap(wrapped), {
		instanceOf: RootKeyAwayError,
		message: /the role is refused.*make a new secret id \(400: invalid role or secret ID\)/,
	});
});

test('a namespace is named in each call', async (t) => {
	const { service, root } = await openScene(t, { namespace: 'payments' }, { namespace: 'payments' });
	t.deepEqual(await root.unwrap(await root.wrap(MATERIAL)), MATERIAL);
	const { root: without } = await openScene(t, { url: service.url });
	await t.throwsAsync(without.wrap(MATERIAL), { message: /404/ });
});

test('over TLS only an authority of the CA file is trusted, for the name of the service', async (t) => {
	const authority = await makeAuthority();
	const { cert, key } = await authority.issue('localhost');
	const folder = temporaryFolder(t);
	const [ours, theirs, absent] = ['ours.pem', 'theirs.pem', 'absent.pem'].map((name) => join(folder, name));
	writeFileSync(ours, authority.certificate);
	writeFileSync(theirs, (await makeAuthority()).certificate);
	const { service, root } = await openScene(t, { caFile: ours }, { tls: { cert, key } });
	t.deepEqual(await root.unwrap(await root.wrap(MATERIAL)), MATERIAL);
	const { root: other } = await openScene(t, { url: service.url, caFile: theirs });
	await t.throwsAsync(other.wrap(MATERIAL), {
		instanceOf: RootKeyAwayError,
		message: /cannot be reached: the certificate was not issued by a trusted authority/,
	});
	await t.throwsAsync(openScene(t, { caFile: absent }), {
		instanceOf: RootKeyError,
		message: /keys\.transit\.caFile cannot be read/,
	});
});

test('a file with a secret that others can read is refused', async (t) => {
	const { tokenFile, root } = await openScene(t);
	writeFileSync(tokenFile, 'hvs.test');
	chmodSync(tokenFile, 0o644);
	await t.throwsAsync(root.wrap(MATERIAL), {
		instanceOf: RootKeyError,
		message: /others can read the token; run chmod 600/,
	});
});
