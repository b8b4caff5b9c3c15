import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { z } from 'zod';
import { connectionsOf, countProcesses } from '../src/base/settings/processes.ts';
import { leaves } from '../src/base/settings/schema.ts';
import {
	changedSettings,
	loadSettings,
	type SettingsError,
	type SettingsSources,
	shownSettings,
} from '../src/base/settings/settings.ts';
import { generateSettingsPage, readSettingsPage } from './helpers/generate-settings.ts';

const KEY = 'ab'.repeat(32);

/** Writes a settings file into a folder of its own, and returns its path. */
function fileOf(t: ExecutionContext, yaml: string): string {
	const folder = mkdtempSync(join(tmpdir(), 'settings-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const path = join(folder, 'settings.yaml');
	writeFileSync(path, yaml);
	return path;
}

function problemsOf(t: ExecutionContext, sources: SettingsSources): SettingsError {
	const error = t.throws(() => loadSettings({ env: {}, ...sources }), { name: 'SettingsError' });
	return error as SettingsError;
}

test('without a file and variables the defaults stand, with what follows from them', (t) => {
	const settings = loadSettings({ env: {} });
	t.like(settings, {
		environment: 'sandbox',
		dataDir: resolve('data'),
		databaseUrl: `sqlite:${resolve('data/tokendrop.sqlite')}`,
		masterKeyFile: resolve('data/master.key'),
		audit: { headFile: resolve('data/audit-heads.jsonl'), headEntries: 1000, headSeconds: 60 },
		baseUrl: 'http://127.0.0.1:8080',
		workers: availableParallelism(),
		http: { host: '127.0.0.1', port: 8080 },
		ops: { host: '127.0.0.1', port: 9090 },
		keys: { provider: 'file', masterKey: null },
	});
	t.like(settings.sftp, { host: '127.0.0.1', port: 2022, maxSessions: 200, maxUnansweredBytes: 8 * 1024 * 1024 });
});

test('a variable wins over the file, the file over the defaults, key by key', (t) => {
	const configPath = fileOf(
		t,
		'sftp:\n  port: 3022\n  maxSessions: 7\n  maxSessionsPerAccount: 2\nhttp: { port: 3080 }\n',
	);
	const { sftp, http } = loadSettings({ configPath, env: { TOKENDROP_SFTP_PORT: '0', HOME: '/x' } });
	t.like(sftp, { port: 0, maxSessions: 7, maxSessionsPerAccount: 2, maxHandles: 64 });
	t.is(http.port, 3080);
});

test('changed settings are listed by their keys, with passwords masked', (t) => {
	t.deepEqual(changedSettings(loadSettings({ env: {} })), {});
	const env = { TOKENDROP_DATABASE_URL: 'postgres://me:hidden@host/db', TOKENDROP_SFTP_PORT: '3022' };
	const changed = changedSettings(loadSettings({ env }));
	t.deepEqual(Object.keys(changed), ['databaseUrl', 'sftp.port']);
	t.false(JSON.stringify(changed).includes('hidden'));
});

test('the settings are frozen all the way down', (t) => {
	const settings = loadSettings({ env: {} });
	t.throws(() => Object.assign(settings, { workers: 9 }), { instanceOf: TypeError });
	t.throws(() => Object.assign(settings.sftp, { port: 9 }), { instanceOf: TypeError });
});

const VARIABLES: Record<string, string> = {
	environment: 'production',
	databaseUrl: 'postgres://me@host/db',
	baseUrl: 'https://tokens.example.com',
	'sftp.maxSessionsPerAccount': '3',
	'relay.allowPrivate': 'true',
	'keys.provider': 'file',
	logLevel: 'debug',
	workers: '3',
};

/** Settings that make sense only with another one. */
const TOGETHER: Record<string, Record<string, string>> = {
	'http.tlsCertFile': { TOKENDROP_HTTP_TLS_KEY_FILE: '/key.pem' },
	'http.tlsKeyFile': { TOKENDROP_HTTP_TLS_CERT_FILE: '/cert.pem' },
	'mail.host': { TOKENDROP_MAIL_FROM: 'cards@example.com' },
	'mail.user': { TOKENDROP_MAIL_PASSWORD_FILE: '/password' },
	'mail.passwordFile': { TOKENDROP_MAIL_USER: 'us' },
	'drops.store': { TOKENDROP_DROPS_ACCESS_KEY_ID: 'AK', TOKENDROP_DROPS_SECRET_KEY_FILE: '/secret' },
};

for (const { key, variable, path, notes } of leaves) {
	test(`${variable} sets ${key}, and the example of its rule is a value it takes`, (t) => {
		for (const text of [VARIABLES[key], notes.example]) {
			if (text === undefined) continue;
			const settings = loadSettings({ env: { ...TOGETHER[key], [variable]: text } });
			const value = String(path.reduce<unknown>((tree, name) => (tree as Record<string, unknown>)[name], settings));
			t.is(value, /^(dataDir|masterKeyFile|audit\.headFile)$/.test(key) ? resolve(text) : text);
		}
	});
}

test('auto is a process for each core on PostgreSQL and one on SQLite; without a word there is one', (t) => {
	const countWith = (env: Record<string, string>) => countProcesses(loadSettings({ env }));
	const TOKENDROP_DATABASE_URL = 'postgres://tokendrop@localhost/tokendrop';
	t.is(countWith({}), 1);
	t.is(countWith({ TOKENDROP_DATABASE_URL }), 1);
	t.is(countWith({ TOKENDROP_PROCESSES: 'auto' }), 1);
	t.is(countWith({ TOKENDROP_DATABASE_URL, TOKENDROP_PROCESSES: 'auto' }), availableParallelism());
	t.is(countWith({ TOKENDROP_DATABASE_URL, TOKENDROP_PROCESSES: '5' }), 5);
	const connectionsWith = (TOKENDROP_PROCESSES: string) =>
		connectionsOf(loadSettings({ env: { TOKENDROP_DATABASE_URL, TOKENDROP_PROCESSES } }));
	t.deepEqual(['1', '2', '4', '16'].map(connectionsWith), [10, 10, 5, 4]);
});

test('one account may have half of the calls to third parties, unless told otherwise', (t) => {
	t.is(loadSettings({ env: {} }).relay.maxInFlightPerAccount, 2000);
	t.is(loadSettings({ env: { TOKENDROP_RELAY_MAX_IN_FLIGHT: '1' } }).relay.maxInFlightPerAccount, 1);
});

test('a mail server needs an address that mails come from, and encryption in production', (t) => {
	const missing = problemsOf(t, { env: { TOKENDROP_MAIL_HOST: 'smtp.example.com' } });
	t.deepEqual(
		missing.problems.map(({ key }) => key),
		['mail.from'],
	);
	const env = {
		...{ TOKENDROP_ENVIRONMENT: 'production', TOKENDROP_MAIL_HOST: 'smtp.example.com' },
		...{ TOKENDROP_MAIL_FROM: 'cards@example.com', TOKENDROP_MAIL_TLS: 'none' },
	};
	t.true(problemsOf(t, { env }).problems.some(({ key }) => key === 'mail.tls'));
	t.is(loadSettings({ env: { ...env, TOKENDROP_MAIL_HOST: '127.0.0.1' } }).mail.tls, 'none');
	t.is(loadSettings({ env: { ...env, TOKENDROP_MAIL_TLS: 'starttls' } }).mail.port, 587);
});

test('an empty variable counts as absent', (t) => {
	t.is(loadSettings({ env: { TOKENDROP_HTTP_PORT: '' } }).http.port, 8080);
});

test('all problems are reported together, each with key, source, value, rule and example', (t) => {
	const configPath = fileOf(t, 'sftp:\n  prot: 3022\n  maxHandles: many\nopps: {}\nhttp: 5\n');
	const env = { TOKENDROP_WORKERS: '0', TOKENDROP_SFTP_MAX_SESION: '3', TOKENDROP_BASE_URL: 'ftp://x' };
	const { problems, message } = problemsOf(t, { configPath, env });
	const byKey = Object.fromEntries(problems.map((problem) => [problem.key, problem]));
	t.deepEqual(Object.keys(byKey).sort(), [
		...['TOKENDROP_SFTP_MAX_SESION', 'baseUrl', 'http', 'opps', 'sftp.maxHandles', 'sftp.prot', 'workers'],
	]);
	t.like(byKey['sftp.maxHandles'], { source: configPath, value: '"many"', example: '64' });
	t.like(byKey['sftp.prot'], { source: configPath, rule: 'a key that exists', example: 'sftp.port' });
	t.like(byKey.TOKENDROP_SFTP_MAX_SESION, { source: 'environment', example: 'TOKENDROP_SFTP_MAX_SESSIONS' });
	t.like(byKey.workers, { source: 'TOKENDROP_WORKERS', value: '0' });
	t.true(byKey.http.rule.startsWith('a section with the keys host, port, '));
	for (const { key } of problems) t.true(message.includes(key), key);
});

test('a value where a section belongs is one problem, also beside a variable of that section', (t) => {
	const configPath = fileOf(t, 'sftp: 7\n');
	const { problems } = problemsOf(t, { configPath, env: { TOKENDROP_SFTP_PORT: '2023' } });
	t.is(problems.length, 1);
	t.like(problems[0], { key: 'sftp', source: configPath, value: '7' });
	t.true(problems[0].rule.startsWith('a section with the keys host, port, '));
});

test('rules between keys are told beside those of single ones', (t) => {
	const env = {
		TOKENDROP_WORKERS: '0',
		TOKENDROP_HTTP_TLS_CERT_FILE: '/x',
		TOKENDROP_ALLOWANCE_PRODUCTION_UNITS: '50',
	};
	const { problems } = problemsOf(t, { env });
	t.deepEqual(problems.map(({ key }) => key).sort(), ['allowance.sandboxUnits', 'http.tlsCertFile', 'workers']);
});

const refuses = test.macro({
	exec(t, env: Record<string, string>, key: string, rule: RegExp) {
		const { problems } = problemsOf(t, { env });
		t.is(problems.length, 1);
		t.is(problems[0].key, key);
		t.regex(problems[0].rule, rule);
	},
	title: (text = '') => `refused: ${text}`,
});

test('a port above 65535', refuses, { TOKENDROP_OPS_PORT: '65536' }, 'ops.port', /0 to 65535/);
test('an environment of another name', refuses, { TOKENDROP_ENVIRONMENT: 'test' }, 'environment', /sandbox or/);
test('a database of another kind', refuses, { TOKENDROP_DATABASE_URL: 'mysql://h/d' }, 'databaseUrl', /postgres/);
const standby = { TOKENDROP_DATABASE_URL: 'postgres://a,b/d?target_session_attrs=standby' };
test('a database on a standby, which no daemon can use', refuses, standby, 'databaseUrl', /read-write or primary/);
test(
	'a truth value in other words',
	refuses,
	{ TOKENDROP_RELAY_ALLOW_PRIVATE: 'yes' },
	'relay.allowPrivate',
	/true or/,
);
test(
	'a certificate without its key',
	refuses,
	{ TOKENDROP_HTTP_TLS_CERT_FILE: '/cert.pem' },
	'http.tlsCertFile',
	/or neither/,
);
test(
	'a share of the calls that is more than all of them',
	refuses,
	{ TOKENDROP_RELAY_MAX_IN_FLIGHT: '5', TOKENDROP_RELAY_MAX_IN_FLIGHT_PER_ACCOUNT: '6' },
	'relay.maxInFlightPerAccount',
	/at most relay.maxInFlight \(5\)/,
);
test(
	'several processes on SQLite',
	refuses,
	{ TOKENDROP_PROCESSES: '2' },
	'processes',
	/1 or auto on SQLite: it has one writer/,
);
test('a fraction of a process', refuses, { TOKENDROP_PROCESSES: '1.5' }, 'processes', /auto or a whole number/);
test('a fraction of a worker', refuses, { TOKENDROP_WORKERS: '1.5' }, 'workers', /whole number/);
test('two listeners on one address', refuses, { TOKENDROP_OPS_PORT: '8080' }, 'ops.port', /another address than http/);
test(
	'more sessions of one account than sessions',
	refuses,
	{ TOKENDROP_SFTP_MAX_SESSIONS: '2' },
	'sftp.maxSessionsPerAccount',
	/at most/,
);
test(
	'spec §8: a sandbox allowance that is not below that of production',
	refuses,
	{ TOKENDROP_ALLOWANCE_SANDBOX_UNITS: '500', TOKENDROP_ALLOWANCE_PRODUCTION_UNITS: '500' },
	'allowance.sandboxUnits',
	/below allowance\.productionUnits \(500\)/,
);
test('no allowance at all', refuses, { TOKENDROP_ALLOWANCE_SANDBOX_UNITS: '0' }, 'allowance.sandboxUnits', /from 1 to/);
test('the env provider without a key', refuses, { TOKENDROP_KEYS_PROVIDER: 'env' }, 'TOKENDROP_MASTER_KEY', /64 hex/);
test('a key that nobody would use', refuses, { TOKENDROP_MASTER_KEY: KEY }, 'TOKENDROP_MASTER_KEY', /keys\.provider/);
test(
	'a key that is too short',
	refuses,
	{ TOKENDROP_KEYS_PROVIDER: 'env', TOKENDROP_MASTER_KEY: 'abcd' },
	'TOKENDROP_MASTER_KEY',
	/32 bytes/,
);

test('spec §8: the sandbox has an allowance, production none unless settings say', (t) => {
	t.deepEqual(loadSettings({ env: {} }).allowance, { sandboxUnits: 10_000, productionUnits: null });
	const env = { TOKENDROP_ALLOWANCE_SANDBOX_UNITS: '499', TOKENDROP_ALLOWANCE_PRODUCTION_UNITS: '500' };
	t.deepEqual(loadSettings({ env }).allowance, { sandboxUnits: 499, productionUnits: 500 });
});

for (const [what, text] of Object.entries({ hex: KEY, base64: Buffer.alloc(32, 7).toString('base64') })) {
	test(`the master key is read from the variable as ${what} and shown nowhere`, (t) => {
		const settings = loadSettings({ env: { TOKENDROP_KEYS_PROVIDER: 'env', TOKENDROP_MASTER_KEY: `${text}\n` } });
		t.is(settings.keys.masterKey?.reveal(), text);
		for (const shown of [JSON.stringify(settings), inspect(settings, { depth: 9 }), `${settings.keys.masterKey}`]) {
			t.false(shown.includes(text));
		}
	});
}

test('no secret stands in a problem report', (t) => {
	const configPath = fileOf(t, 'masterKey: sekrit\nsmtp: { password: sekrit }\ndatabaseUrl: postgres://u:sekrit@h/d\n');
	const env = { TOKENDROP_MASTER_KEY: 'sekrit', TOKENDROP_API_KEY: 'sekrit' };
	const { message, problems } = problemsOf(t, { configPath, env });
	t.is(problems.length, 5);
	t.notRegex(message + JSON.stringify(problems), /sekrit/);
});

test('a database password is taken from the variable and masked where settings are shown', (t) => {
	const url = 'postgres://me:sekrit@host/db?sslpassword=sekrit';
	const settings = loadSettings({ env: { TOKENDROP_DATABASE_URL: url } });
	t.is(settings.databaseUrl, url);
	t.is(shownSettings(settings).databaseUrl, 'postgres://me:********@host/db?sslpassword=********');
});

test('the password of the database may stand in a file, without its line end, and is masked where settings are shown', (t) => {
	const path = fileOf(t, 'p@ss/word\n');
	const env = { TOKENDROP_DATABASE_URL: 'postgres://td@db:5432/td', TOKENDROP_DATABASE_PASSWORD_FILE: path };
	const settings = loadSettings({ env });
	t.is(settings.databaseUrl, 'postgres://td:p%40ss%2Fword@db:5432/td');
	t.false(JSON.stringify(shownSettings(settings)).includes('word@'));
	for (const [more, rule] of [
		[{ TOKENDROP_DATABASE_URL: 'postgres://td:x@db/td' }, /has a password/],
		[{ TOKENDROP_DATABASE_PASSWORD_FILE: '/nowhere/it/is' }, /that can be read/],
		[{ TOKENDROP_DATABASE_PASSWORD_FILE: fileOf(t, '\n') }, /with a password in it/],
	] as const) {
		const { problems } = problemsOf(t, { env: { ...env, ...more } });
		t.is(problems.length, 1);
		t.is(problems[0].key, 'databasePasswordFile');
		t.regex(problems[0].rule, rule);
	}
});

test('a file that is absent, no YAML, or no keys is one problem, without its content', (t) => {
	t.regex(problemsOf(t, { configPath: '/does/not/exist' }).problems[0].rule, /ENOENT/);
	t.regex(problemsOf(t, { configPath: fileOf(t, 'a: 1\nb: [sekrit\n') }).problems[0].rule, /valid YAML .* line \d/);
	t.regex(problemsOf(t, { configPath: fileOf(t, '- 1\n') }).problems[0].rule, /keys with values/);
	t.notThrows(() => loadSettings({ configPath: fileOf(t, '# nothing\n'), env: {} }));
});

const hasBaseUrl = test.macro({
	exec(t, env: Record<string, string>, expected: string | null) {
		t.is(loadSettings({ env }).baseUrl, expected);
	},
	title: (text = '') => `base URL: ${text}`,
});

test('unknown while the port is', hasBaseUrl, { TOKENDROP_HTTP_PORT: '0' }, null);
test(
	'localhost where every address is listened on',
	hasBaseUrl,
	{ TOKENDROP_HTTP_HOST: '0.0.0.0' },
	'http://localhost:8080',
);
test('IPv6 in brackets', hasBaseUrl, { TOKENDROP_HTTP_HOST: '::1' }, 'http://[::1]:8080');
test('no slash at its end', hasBaseUrl, { TOKENDROP_BASE_URL: 'https://a.example/x/' }, 'https://a.example/x');

test('config/default.yaml names every key, each under a comment or beside one that has it', (t) => {
	const text = readFileSync(new URL('../config/default.yaml', import.meta.url), 'utf8');
	const content = parse(text);
	for (const { key, path } of leaves) {
		const value = path.reduce((tree, name) => tree?.[name], content);
		t.not(value, undefined, key);
	}
	for (const block of text.split(/\n\n/)) t.true(block.includes('#') || /^shutdown|^keys/.test(block), block);
});

test('the rule of every switch says what true allows and what it risks', (t) => {
	const booleans = leaves.filter(({ schema }) => schema instanceof z.ZodBoolean);
	t.deepEqual(
		booleans.map(({ key }) => key),
		['allowPlaintextDatabase', 'allowPlaintextHttp', 'allowPlaintextOps', 'cvv.allowLong', 'relay.allowPrivate'],
	);
	for (const { key, notes } of booleans) t.regex(notes.rule, /^true or false; true allows .{20,}: .{30,}/, key);
});

test('docs/settings.md is what the schema and config/default.yaml make of it', (t) => {
	t.true(generateSettingsPage() === readSettingsPage(), 'run npm run generate:settings');
});

/** Settings that are derived from the size of the disk, and only once a daemon knows its data directory. */
const DERIVED_LATER = ['drops.maxBytesPerAccount'];

test('a key that is empty has no value, or one that is derived, as its notes say', (t) => {
	const defaults = parse(readFileSync(new URL('../config/default.yaml', import.meta.url), 'utf8'));
	const settings = loadSettings({ env: {} });
	const valueIn = (tree: unknown, path: readonly string[]) =>
		path.reduce((section, name) => (section as Record<string, unknown>)[name], tree);
	for (const { key, path, notes } of leaves) {
		t.is(valueIn(defaults, path) === null, notes.whenEmpty !== undefined, key);
		if (notes.whenEmpty === undefined || DERIVED_LATER.includes(key)) continue;
		t.is(valueIn(settings, path) === null, 'none' in notes.whenEmpty, key);
	}
});

test('the rule of a key that may be empty says what an empty key means', (t) => {
	const { problems } = problemsOf(t, { env: { TOKENDROP_WORKERS: '0', TOKENDROP_HTTP_TRUSTED_PROXIES: 'x' } });
	for (const { key, rule } of problems)
		t.regex(rule, key === 'workers' ? /; empty: as many as/ : /; empty: the address of the connection/);
});

const PLAIN_PRODUCTION = {
	TOKENDROP_ENVIRONMENT: 'production',
	TOKENDROP_GATEWAY_STRIPE_BASE_URL: 'http://collector.example',
	TOKENDROP_GATEWAY_ADYEN_BASE_URL: 'http://127.0.0.1:9',
	TOKENDROP_DATABASE_URL: 'postgres://me@db.internal/tokendrop',
	TOKENDROP_HTTP_HOST: '0.0.0.0',
	TOKENDROP_OPS_HOST: '::',
};
const ALLOWED = {
	TOKENDROP_ALLOW_PLAINTEXT_DATABASE: 'true',
	TOKENDROP_ALLOW_PLAINTEXT_HTTP: 'true',
	TOKENDROP_ALLOW_PLAINTEXT_OPS: 'true',
};
const keysOf = (t: ExecutionContext, env: Record<string, string>) =>
	problemsOf(t, { env }).problems.map(({ key }) => key);

test('production refuses every clear transport at once, each with the setting that allows it and an example', (t) => {
	const { problems, message } = problemsOf(t, { env: { ...PLAIN_PRODUCTION, TOKENDROP_WORKERS: '0' } });
	t.deepEqual(
		problems.map(({ key }) => key),
		['workers', 'gateway.stripeBaseUrl', 'gateway.adyenBaseUrl', 'databaseUrl', 'http.host', 'ops.host'],
	);
	for (const name of Object.keys(ALLOWED)) t.true(message.includes(`${name}=true`), name);
	for (const { example, source } of problems) t.true(example !== null && source.startsWith('TOKENDROP_'));
});

test('what a setting allows in clear passes, but never a gateway', (t) => {
	t.deepEqual(keysOf(t, { ...PLAIN_PRODUCTION, ...ALLOWED }), ['gateway.stripeBaseUrl', 'gateway.adyenBaseUrl']);
});

test('the environment key goes to no service in clear, but to one on this machine', (t) => {
	const production = { ...PLAIN_PRODUCTION, ...ALLOWED };
	const services = (host: string) => ({
		TOKENDROP_KEYS_AWS_KMS_ENDPOINT: `http://${host}:1`,
		TOKENDROP_KEYS_TRANSIT_URL: `http://${host}:2`,
	});
	const gateways = ['gateway.stripeBaseUrl', 'gateway.adyenBaseUrl'];
	t.deepEqual(keysOf(t, { ...production, ...services('vault.example.com') }), [
		...gateways,
		...['keys.awsKms.endpoint', 'keys.transit.url'],
	]);
	t.deepEqual(keysOf(t, { ...production, ...services('127.0.0.1') }), gateways);
});

test('a key service that is the provider must be filled in, with one way to log in', (t) => {
	const needed = {
		pkcs11: ['keys.pkcs11.library', 'keys.pkcs11.tokenLabel', 'keys.pkcs11.keyLabel', 'keys.pkcs11.pinFile'],
		'aws-kms': ['keys.awsKms.keyId', 'keys.awsKms.region'],
		transit: ['keys.transit.url', 'keys.transit.keyName', 'keys.transit.tokenFile'],
	};
	for (const [provider, keys] of Object.entries(needed))
		t.deepEqual(keysOf(t, { TOKENDROP_KEYS_PROVIDER: provider }), keys, provider);
	const transit = {
		TOKENDROP_KEYS_PROVIDER: 'transit',
		TOKENDROP_KEYS_TRANSIT_URL: 'https://vault',
		TOKENDROP_KEYS_TRANSIT_KEY_NAME: 'ours',
	};
	const role = { TOKENDROP_KEYS_TRANSIT_ROLE_ID: 'role', TOKENDROP_KEYS_TRANSIT_SECRET_ID_FILE: 'secret' };
	const token = { TOKENDROP_KEYS_TRANSIT_TOKEN_FILE: 'token' };
	t.deepEqual(keysOf(t, { ...transit, ...role, ...token }), ['keys.transit.tokenFile']);
	const { keys } = loadSettings({ env: { ...transit, ...role } });
	t.is(keys.transit.secretIdFile, resolve('secret'));
	t.notThrows(() => loadSettings({ env: { ...transit, ...token } }));
});

test('the sandbox takes clear transport', (t) => {
	t.notThrows(() => loadSettings({ env: { ...PLAIN_PRODUCTION, TOKENDROP_ENVIRONMENT: 'sandbox' } }));
});

const passes = test.macro({
	title: (_, what: string) => `production takes ${what}`,
	exec(t, _what: string, env: Record<string, string>) {
		t.notThrows(() => loadSettings({ env: { TOKENDROP_ENVIRONMENT: 'production', ...env } }));
	},
});
test(passes, 'its defaults', {});
test(passes, 'HTTP on any address with a certificate', {
	...{ TOKENDROP_HTTP_HOST: '0.0.0.0', TOKENDROP_HTTP_TLS_CERT_FILE: '/c.pem', TOKENDROP_HTTP_TLS_KEY_FILE: '/k.pem' },
});
test(passes, 'listeners on loopback', { TOKENDROP_HTTP_HOST: '::1', TOKENDROP_OPS_HOST: '127.8.0.1' });
for (const url of [
	'postgres://me@db.internal/x?sslmode=verify-full',
	'postgres://me@db1,db2:5433/x?sslmode=verify-full&target_session_attrs=read-write',
	'postgres://me@db.internal/x?ssl=true',
	'postgres://me@127.0.0.1/x',
	'postgres://me@localhost/x',
	'postgres://me@[::1]/x',
	'postgres://me@db/x?host=/run/postgresql',
	'sqlite:/x',
]) {
	test(passes, `the database ${url}`, { TOKENDROP_DATABASE_URL: url });
}
for (const url of [
	'postgres://me@db.internal/x?sslmode=disable',
	'postgres://me@db.internal/x?sslmode=prefer',
	'postgres://me@db.internal/x?sslmode=no-verify',
	'postgres://me@db.internal/x?ssl=true&sslmode=disable',
	'postgres://me@db.internal/x?sslmode=require&sslmode=disable',
	'postgres://me@localhost/x?host=db.internal',
	'postgres://me@localhost,db.internal/x',
]) {
	test(`production refuses the database ${url}`, (t) => {
		t.deepEqual(keysOf(t, { TOKENDROP_ENVIRONMENT: 'production', TOKENDROP_DATABASE_URL: url }), ['databaseUrl']);
	});
}

test('production looks at the host that PostgreSQL is reached at when the URL names none', (t) => {
	const env = { TOKENDROP_ENVIRONMENT: 'production', TOKENDROP_DATABASE_URL: 'postgres:///x' };
	t.notThrows(() => loadSettings({ env }));
	t.deepEqual(keysOf(t, { ...env, PGHOST: 'db.internal' }), ['databaseUrl']);
	t.notThrows(() => loadSettings({ env: { ...env, PGHOST: '/run/postgresql' } }));
});
