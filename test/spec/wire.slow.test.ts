// Tests what spec §4, §5, §7 and §8 say about the wire, at the daemon itself with the clients people use: headers, empty
// bodies, compression and redirects.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync, inflateSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { cardJson } from '../helpers/card-calls.ts';
import { type Installation, type RunningDaemon, startInstallation } from '../helpers/daemon.ts';
import { run } from '../helpers/ssh-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { exchange, type WireAnswer } from '../helpers/wire.ts';

const curlTest = testNeeding('curl');
const toolsTest = testNeeding('curl', 'openssl and xxd');

const META = '/api/payments/paycard/meta';
const TEMPSESSION = '/api/payments/paycard/tempsession';
const NOBODYS = `/api/payments/paycard/${'a'.repeat(32)}/meta`;

const releases: (() => unknown)[] = [];
let installation: Installation;
let daemon: RunningDaemon;
let apiKey: string;

test.before(async () => {
	const variables = { TOKENDROP_ALLOWANCE_SANDBOX_UNITS: '3', TOKENDROP_LOG_LEVEL: 'trace' };
	const t = { teardown: (release: () => unknown) => releases.push(release) };
	({ installation, daemon } = await startInstallation(t, { variables }));
	const created = ['account', 'create', '--user-id', 'agency', '--allowance', 'unlimited'];
	({ apiKey } = await installation.json(...created));
});

test.after.always(async () => {
	for (const release of releases.reverse()) await release();
});

const url = (path: string) => daemon.baseUrl + path;
const keyed = (...headers: string[]) => ['x-service-api-key', apiKey, ...headers];

function isEmpty(t: ExecutionContext, { status, headers, body }: WireAnswer, expected: number, what?: string) {
	t.is(status, expected, what);
	t.is(body.length, 0, what);
	t.is(headers['content-length'], '0', what);
	t.is(headers['content-type'], undefined, what);
	t.is(headers['content-encoding'], undefined, what);
	t.is(headers['www-authenticate'], undefined, what);
}

test('spec §5.4.1: a failed authentication is a 401 with nothing in it, for every cause and any Accept', async (t) => {
	for (const [what, path, headers] of [
		['no header', META, []],
		['a malformed header', META, ['authorization', apiKey]],
		['another word', META, ['authorization', `Bearer ${apiKey}`]],
		['an invalid key', META, ['authorization', 'APIKEY td_sandbox_x']],
		['a key of production', META, ['x-service-api-key', apiKey.replace('sandbox', 'production')]],
		['an invalid session token', `${META}?sessionToken=x`, keyed()],
		['an invalid access token', `${META}?accessToken=${'0'.repeat(768)}`, keyed()],
	] as const) {
		for (const accept of ['*/*', 'application/json', 'application/xml']) {
			const sent = [...headers, 'accept', accept, 'accept-encoding', 'gzip'];
			isEmpty(t, await exchange(url(path), { headers: sent }), 401, what);
		}
	}
	const posted = { method: 'POST', headers: ['content-type', 'application/json'], body: cardJson() };
	isEmpty(t, await exchange(url('/api/payments/paycard'), posted), 401, 'with a body');
});

test('spec §5.1: the names of headers count in any case, APIKEY and one space as they are', async (t) => {
	for (const [headers, status] of [
		[['Authorization', `APIKEY ${apiKey}`], 200],
		[['AUTHORIZATION', `APIKEY ${apiKey}`], 200],
		[['X-Service-Api-Key', apiKey], 200],
		[['Authorization', `Apikey ${apiKey}`], 401],
		[['Authorization', `APIKEY  ${apiKey}`], 401],
	] as const) {
		t.is((await exchange(url(META), { headers })).status, status, headers.join(': ').replace(apiKey, 'KEY'));
	}
});

for (const status of [301, 302]) {
	curlTest(`spec §5.4.1: clients that drop the Authorization header on a ${status} get the empty 401`, async (t) => {
		const server = createServer((_, response) => response.writeHead(status, { location: url(META) }).end());
		await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
		t.teardown(() => server.close());
		const moved = `http://localhost:${(server.address() as AddressInfo).port}/`;
		const authorization = `APIKEY ${apiKey}`;
		const followed = await fetch(moved, { headers: { authorization } });
		t.deepEqual([followed.redirected, followed.status, await followed.text()], [true, 401, '']);
		const curl = ['-s', '-L', '-w', '%{http_code} %{size_download}', '-H', `Authorization: ${authorization}`, moved];
		t.is((await run('curl', curl)).stdout, '401 0');
		const kept = await run('curl', ['--location-trusted', '-o', '/dev/null', ...curl]);
		t.regex(kept.stdout, /^200 /, 'with its header it would have been let in');
	});
}

const bodies: Record<string, string[]> = {
	'no body at all': ['-X', 'POST'],
	'an empty body': ['-d', ''],
	'an empty body of type JSON': ['-d', '', '-H', 'Content-Type: application/json'],
	'an empty body of unknown length': ['-X', 'POST', '-H', 'Transfer-Encoding: chunked', '-T', '/dev/null'],
};
for (const [what, options] of Object.entries(bodies)) {
	curlTest(`spec §4.1: tempsession is called with ${what}`, async (t) => {
		const { stdout } = await run('curl', ['-s', ...options, '-H', `x-service-api-key: ${apiKey}`, url(TEMPSESSION)]);
		t.regex(stdout, /^ts_[\w-]{43}$/);
	});
}

toolsTest(
	'spec §5.2, §5.3.3: curl and openssl make a session token and an access token, as the specification tells callers to',
	async (t) => {
		const key = `x-service-api-key: ${apiKey}`;
		const call = async (query: string) => {
			const { stdout } = await run('curl', ['-s', '-w', ' %{http_code}', url(`${META}?num=1&${query}`)]);
			return stdout;
		};
		const session = (await run('curl', ['-s', '-X', 'POST', '-H', key, url(TEMPSESSION)])).stdout;
		for (let n = 0; n < 3; n++) t.is(await call(`sessionToken=${session}`), '[] 200');

		const { folder } = installation;
		await run('curl', ['-s', '-O', '-J', url('/api')], { cwd: folder });
		const certificate = join(folder, 'service.cer');
		const pem = await run('openssl', ['x509', '-inform', 'der', '-in', certificate]);
		const script = `openssl pkeyutl -encrypt -certin -inkey <(echo "$PEM") -pkeyopt rsa_padding_mode:pkcs1 | xxd -p -u | tr -d '\\n'`;
		const encrypt = async (expiration: string) => {
			const guid = randomUUID().replaceAll('-', '');
			const text = `${apiKey}#${guid}#${expiration}`;
			return (await run('bash', ['-c', script], { input: text, env: { PEM: pem.stdout } })).stdout;
		};
		const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
		const access = await encrypt(inMinutes(10));
		t.regex(access, /^[0-9A-F]+$/);
		t.is(await call(`accessToken=${access}`), '[] 200');
		t.is(await call(`accessToken=${access}`), ' 401', 'single use');
		t.is(await call(`accessToken=${await encrypt(inMinutes(61))}`), ' 401');
		t.is(await call(`accessToken=${await encrypt(inMinutes(-1))}`), ' 401');
		const log = daemon.log();
		for (const secret of [apiKey, session, access]) t.false(log.includes(secret), 'spec §5: never in logs');
	},
);

const compressed = test.macro({
	async exec(t, accepted: string | undefined, encoding: 'gzip' | 'deflate' | undefined) {
		for (const [path, headers] of [
			[META, keyed()],
			[NOBODYS, keyed()],
			[NOBODYS, keyed('accept', 'application/json')],
			['/api', []],
			['/openapi.json', []],
		] as const) {
			const plain = await exchange(url(path), { headers });
			const sent = accepted === undefined ? headers : [...headers, 'accept-encoding', accepted];
			const answer = await exchange(url(path), { headers: sent });
			t.is(answer.headers['content-encoding'], encoding, path);
			const unpack = encoding === 'gzip' ? gunzipSync : encoding === 'deflate' ? inflateSync : (bytes: Buffer) => bytes;
			t.deepEqual(unpack(answer.body), plain.body, path);
			t.is(plain.headers['content-encoding'], undefined);
			t.is(answer.status, plain.status);
		}
	},
	title: (_, accepted, encoding) =>
		`spec §4: Accept-Encoding ${accepted ?? 'absent'}: ${encoding ?? 'not compressed'}, errors like successes`,
});
test(compressed, undefined, undefined);
test(compressed, 'gzip', 'gzip');
test(compressed, 'deflate', 'deflate');
test(compressed, 'gzip, deflate, br', 'gzip');
test(compressed, 'br', undefined);
test(compressed, 'identity', undefined);

const accepts = test.macro({
	async exec(t, values: readonly string[], success: 'json' | 'xml', error: 'json' | 'xml') {
		const headers = keyed(...values.flatMap((value) => ['accept', value]));
		const types = { json: 'text/json; charset=utf-8', xml: 'application/xml; charset=utf-8' };
		t.is((await exchange(url(META), { headers })).headers['content-type'], types[success]);
		const refused = await exchange(url(NOBODYS), { headers });
		t.deepEqual([refused.status, refused.headers['content-type']], [401, types[error]]);
		t.is(
			refused.body.toString().startsWith(error === 'json' ? '{"code":-1003,' : '<ErrorBlock><code>-1003</code>'),
			true,
		);
	},
	title: (_, values: readonly string[], success, error) =>
		`spec §7.2: with ${values.map((value) => `'${value}'`).join(' and ') || 'no header'} answers are ${success}, errors ${error}`,
});
test(accepts, [], 'json', 'xml');
test(accepts, ['*/*'], 'json', 'xml');
test(accepts, ['text/html'], 'json', 'xml');
test(accepts, ['application/json'], 'json', 'json');
test(accepts, ['application/xml'], 'xml', 'xml');
test(accepts, ['text/html, application/json'], 'json', 'xml');
test(accepts, ['text/html,application/json'], 'json', 'xml');
test(accepts, ['text/html,application/xml'], 'xml', 'xml');
test(accepts, ['text/html, application/xml'], 'json', 'xml');
test(accepts, ['Application/JSON'], 'json', 'xml');
test(accepts, ['application/json; charset=utf-8'], 'json', 'xml');
test(accepts, ['application/json,application/xml'], 'json', 'xml');
test(accepts, ['application/xml,application/json'], 'xml', 'xml');
test(accepts, ['application/json', 'application/json'], 'json', 'xml');
test(accepts, ['application/xml', 'application/json'], 'xml', 'xml');

test('spec §7.4: a path that no endpoint matches is a 404 with nothing in it', async (t) => {
	for (const path of [NOBODYS.replace('aaa', ''), NOBODYS.replace('aaa', 'ggg'), '/nothing', '/api/', '/%', '/API']) {
		isEmpty(t, await exchange(url(path), { headers: keyed('accept', 'application/json') }), 404, path);
	}
	for (const [path, body] of [
		['/api/', '{}'],
		['/nothing', 'x'.repeat(2_000_000)],
		[`${NOBODYS}x`, '{'],
	]) {
		for (const type of ['application/json', 'text/plain']) {
			const sent = { method: 'POST', body, headers: ['content-type', type] };
			isEmpty(t, await exchange(url(path), sent), 404, `${path}, whatever is sent there`);
		}
	}
});

test('shapes §1: every answer has an X-Request-Id of its own', async (t) => {
	const paths = [META, NOBODYS, '/api', '/nothing', '/%', `${META}?num=x`, `${META}?sessionToken=x`];
	const answers = await Promise.all(paths.map((path) => exchange(url(path), { headers: keyed() })));
	const ids = answers.map(({ headers }) => headers['x-request-id']);
	t.is(new Set(ids).size, paths.length);
	t.false(ids.includes(undefined));
});

test('shapes §1: health, readiness and metrics stand on the operations listener alone', async (t) => {
	const operations = `http://127.0.0.1:${daemon.opsPort}`;
	for (const path of ['/healthz', '/readyz', '/metrics']) {
		t.is((await exchange(operations + path)).status, 200, path);
		t.is((await exchange(url(path), { headers: keyed() })).status, 404, path);
	}
	t.regex((await exchange(`${operations}/metrics`)).body.toString(), /^# HELP /m);
	for (const path of ['/openapi.json', '/docs']) t.is((await exchange(url(path))).status, 200, path);
});

test('spec §8: the account of a first start has the allowance of the sandbox, and is blocked beyond it', async (t) => {
	const { demo } = installation;
	const store = () =>
		exchange(url('/api/payments/paycard'), {
			method: 'POST',
			headers: ['x-service-api-key', demo.apiKey, 'content-type', 'application/json', 'accept', 'application/json'],
			body: cardJson(),
		});
	t.is((await installation.json('account', 'show', '--user-id', demo.userId)).allowanceLimit, 3);
	for (let n = 0; n < 3; n++) t.is((await store()).status, 201);
	for (let n = 0; n < 2; n++) {
		const refused = await store();
		t.is(refused.status, 403);
		t.like(JSON.parse(refused.body.toString()), { code: -1003, message: null });
	}
	await installation.json('account', 'unblock', '--user-id', demo.userId);
	t.is((await store()).status, 201);
});
