// Checks what a login over sFTP leaves in the trail, with raw ssh2 clients at a real server.

import { generateKeyPairSync } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { ConnectConfig, ParsedKey } from 'ssh2';
import { sftpIdentity } from '../../src/app/sftp-door.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { openLogger } from '../../src/base/log/log.ts';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { parseSshPublicKey } from '../../src/people/identity/credentials/ssh-public-key.ts';
import { openFailedLogins } from '../../src/trail/failed-logins.ts';
import { dialects } from '../helpers/database.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';
import { startServer } from '../helpers/sftp-server.ts';
import { makeSshKeyPair } from '../helpers/ssh-key-pair.ts';
import { until } from '../helpers/until.ts';
import { closeOf, logIn } from '../sftp/raw-client.ts';

const newKey = () => makeSshKeyPair();
const parse = (text: string) => ssh2.utils.parseKey(text) as ParsedKey;

/** Offers a public key, and signs with whatever `sign` makes of the data, or refuses to sign if `sign` is null. */
class Agent extends ssh2.BaseAgent {
	readonly #publicKey: ParsedKey;
	readonly #sign: ((data: Buffer) => Buffer) | null;
	asked = 0;
	constructor(publicKey: ParsedKey, sign: ((data: Buffer) => Buffer) | null) {
		super();
		this.#publicKey = publicKey;
		this.#sign = sign;
	}
	override getIdentities(done: (error: Error | null, keys?: ParsedKey[]) => void): void {
		done(null, [this.#publicKey]);
	}
	override sign(...given: unknown[]): void {
		const [, data] = given as [unknown, Buffer];
		const done = given.at(-1) as (error: Error | null, signature?: Buffer) => void;
		this.asked += 1;
		if (this.#sign === null) done(new Error('not signed'));
		else done(null, this.#sign(data));
	}
}

async function open(t: ExecutionContext, dialect: Dialect) {
	const parts = await openIdentityParts(t, dialect);
	const agency = await createAccount(parts, 'agency');
	const pair = newKey();
	const sshKey = await parts.identity.sshKeys.add(agency.account, 'operator test', parseSshPublicKey(pair.public));
	const failedLogins = openFailedLogins({ ...parts, logger: openLogger({ level: 'silent' }) });
	const identity = sftpIdentity(parts.identity, parts.audit, failedLogins);
	const server = await startServer(t, { identity: identity as never });
	const entries = async () => {
		const rows = await parts.database.knex('audit').whereIn('action', ['sftp.login', 'login.failed']).orderBy('seq');
		return rows.map(({ actor, action, subject, details }) => ({ actor, action, subject, ...JSON.parse(details) }));
	};
	/** Connects, and settles when the connection is closed. */
	const fail = async (config: ConnectConfig) => {
		const client = new ssh2.Client();
		client.on('error', () => {});
		const closed = closeOf(client);
		client.connect({ host: '127.0.0.1', port: server.port, username: 'agency', ...config });
		await closed;
	};
	return { ...parts, agency, pair, sshKey, server, failedLogins, entries, fail };
}

for (const dialect of dialects) {
	test(`the offer of a registered public key without a signature is no login (${dialect})`, async (t) => {
		const { pair, server, entries, fail, failedLogins } = await open(t, dialect);
		const agent = new Agent(parse(pair.public), null);
		await fail({ agent });
		t.is(agent.asked, 1, 'the server said that the key would do');
		await failedLogins.close();
		t.deepEqual(await entries(), []);
		t.false(server.log.some(({ message }) => message === 'sftp login'));
	});

	test(`the offer of a key that the account does not have is noted with its fingerprint (${dialect})`, async (t) => {
		const { server, entries, fail, failedLogins } = await open(t, dialect);
		const stranger = newKey();
		await fail({ privateKey: stranger.private });
		await failedLogins.close();
		const { fingerprint } = parseSshPublicKey(stranger.public);
		t.deepEqual(await entries(), [
			{
				...{ actor: 'unknown', action: 'login.failed', subject: 'account agency', door: 'sftp' },
				...{ address: '127.0.0.1', method: 'publickey', reason: 'unknown key', count: 1 },
				credential: `unknown ssh-key ${fingerprint}`,
			},
		]);
		const line = server.log.find(({ message }) => message === 'sftp key refused');
		t.like(line?.fields, { user: 'agency', address: '127.0.0.1', reason: 'unknown key', fingerprint });
	});

	test(`a bad signature is a failed login, with address and id of the key, and no login (${dialect})`, async (t) => {
		const { pair, sshKey, entries, fail } = await open(t, dialect);
		const stranger = parse(newKey().private);
		const agent = new Agent(parse(pair.public), (data) => stranger.sign(data) as Buffer);
		await fail({ agent });
		t.is(agent.asked, 1);
		const [entry, ...more] = await until('an entry', async () => ((await entries()).length > 0 ? entries() : false));
		t.deepEqual(more, []);
		t.deepEqual(entry, {
			actor: 'unknown',
			action: 'login.failed',
			subject: 'account agency',
			...{ door: 'sftp', address: '127.0.0.1', method: 'publickey', reason: 'bad signature', count: 1 },
			credential: `ssh-key ${sshKey.id}`,
		});
	});

	test(`a good signature is one login, with address and id of the key (${dialect})`, async (t) => {
		const { pair, sshKey, server, entries } = await open(t, dialect);
		const client = await logIn(server, { username: 'agency', privateKey: pair.private });
		const details = { address: '127.0.0.1', method: 'ssh-key', credential: `ssh-key ${sshKey.id}` };
		t.deepEqual(await entries(), [{ actor: 'agency', action: 'sftp.login', subject: 'account agency', ...details }]);
		client.end();
	});

	test(`passwords: the API key of a login, and of a failed one that was revoked, is named (${dialect})`, async (t) => {
		const { agency, identity, server, entries, fail } = await open(t, dialect);
		(await logIn(server, { username: 'agency', password: agency.text })).end();
		const credential = `api-key ${agency.apiKey.id}`;
		t.like((await entries())[0], { action: 'sftp.login', method: 'api-key', credential });
		await fail({ username: 'nobody', password: agency.text });
		await identity.apiKeys.create(agency.account, 'operator test');
		await identity.apiKeys.revoke(agency.account, 'operator test', agency.apiKey.id);
		await fail({ password: agency.text });
		await fail({ password: 'a wrong one' });
		const failed = await until('three entries', async () => {
			const found = (await entries()).filter(({ action }) => action === 'login.failed');
			return found.length === 3 && found;
		});
		t.deepEqual(
			failed.map(({ subject, credential: named, method, reason }) => [subject, named, method, reason]),
			[
				['account agency', credential, 'password', 'wrong credential'],
				['account agency', credential, 'password', 'wrong credential'],
				['account agency', null, 'password', 'wrong credential'],
			],
		);
		t.false(JSON.stringify(await entries()).includes('a wrong one'));
	});
}

test('a login that cannot be written into the trail opens no session', async (t) => {
	const { pair, server, database, fail } = await open(t, 'sqlite');
	await database.knex('audit_head').delete();
	await fail({ privateKey: pair.private });
	await until('the session to be released', () => server.sessions() === 0);
	const messages = server.log.map(({ message }) => message);
	t.true(messages.includes('sftp login could not be noted'));
	t.false(messages.includes('sftp login'));
});

test('an RSA key logs in as well, and a signature over something else does not', async (t) => {
	const { agency, identity, server, entries, fail } = await open(t, 'sqlite');
	const { privateKey } = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
		privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
	});
	const key = parse(privateKey);
	const line = `ssh-rsa ${key.getPublicSSH().toString('base64')}`;
	await identity.sshKeys.add(agency.account, 'operator test', parseSshPublicKey(line));
	(await logIn(server, { username: 'agency', privateKey })).end();
	t.is((await entries()).length, 1);
	await fail({ agent: new Agent(parse(line), () => key.sign(Buffer.from('something else')) as Buffer) });
	const failed = await until('a failed login', async () => (await entries()).length === 2 && entries());
	t.like(failed[1], { action: 'login.failed', reason: 'bad signature' });
});
