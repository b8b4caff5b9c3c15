import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DecryptCommand, EncryptCommand, KMSClient } from '@aws-sdk/client-kms';
import test, { type ExecutionContext } from 'ava';
import {
	credentialsOfFile,
	credentialsOfMachine,
	fixedCredentials,
	parseCredentials,
} from '../../../src/base/keys/providers/aws-credentials.ts';
import { type KmsPlace, openKmsRootKey } from '../../../src/base/keys/providers/aws-kms.ts';
import { serviceClient } from '../../../src/base/keys/providers/service-client.ts';
import { RootKeyAwayError, RootKeyError } from '../../../src/base/keys/root-key.ts';
import { openKmsDouble, REGION } from '../../helpers/key-services/kms-server.ts';
import { temporaryFolder } from '../../helpers/key-services/providers.ts';

const MATERIAL = Buffer.alloc(32, 7);
const KEYS = { accessKeyId: 'AKIATEST', secretAccessKey: 'a secret of tests' };

async function openScene(t: ExecutionContext, place: Partial<KmsPlace> = {}, keys = KEYS) {
	const service = await openKmsDouble(t);
	const keyId = service.makeKey('alias/tokendrop');
	const whole = { keyId, region: REGION, endpoint: service.url, credentialsFile: null, ...place };
	const root = openKmsRootKey(whole, fixedCredentials(parseCredentials(`${keys.accessKeyId}:${keys.secretAccessKey}`)));
	t.teardown(() => root.close());
	return { service, keyId, root };
}

test('the stand-in is like the service: the client of AWS signs, wraps and unwraps, and gets the errors that it knows', async (t) => {
	const { service, keyId } = await openScene(t);
	const open = (secretAccessKey: string) => {
		const credentials = { ...KEYS, secretAccessKey };
		const client = new KMSClient({ region: REGION, endpoint: service.url, credentials, maxAttempts: 1 });
		t.teardown(() => client.destroy());
		return client;
	};
	const client = open(KEYS.secretAccessKey);
	const EncryptionContext = { purpose: 'a test' };
	const encrypt = (KeyId: string) => new EncryptCommand({ KeyId, Plaintext: MATERIAL, EncryptionContext });
	const { CiphertextBlob } = await client.send(encrypt('alias/tokendrop'));
	const { Plaintext, KeyId } = await client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
	t.deepEqual(Buffer.from(Plaintext!), MATERIAL);
	t.regex(KeyId!, new RegExp(`:key/${keyId}$`));
	const fails = async (command: EncryptCommand | DecryptCommand, name: string, by = client) =>
		t.throwsAsync(by.send(command as EncryptCommand), { name });
	await fails(new DecryptCommand({ CiphertextBlob }), 'InvalidCiphertextException');
	await fails(encrypt('alias/none'), 'NotFoundException');
	await fails(encrypt(keyId), 'InvalidSignatureException', open('another secret'));
	const other = service.makeKey('alias/other');
	await fails(new DecryptCommand({ CiphertextBlob, EncryptionContext, KeyId: other }), 'IncorrectKeyException');
	service.setState(keyId, 'Disabled');
	await fails(encrypt(keyId), 'DisabledException');
	service.setState(keyId, 'PendingDeletion');
	await fails(encrypt(keyId), 'KMSInvalidStateException');
});

test('what we wrap the client of AWS opens, and the other way round', async (t) => {
	const { service, keyId, root } = await openScene(t);
	const client = new KMSClient({ region: REGION, endpoint: service.url, credentials: KEYS });
	t.teardown(() => client.destroy());
	const EncryptionContext = { tokendrop: 'root key v1' };
	const mark = Buffer.from('tokendrop root key by aws-kms\n');
	const CiphertextBlob = (await root.wrap(MATERIAL)).subarray(mark.length);
	const opened = await client.send(new DecryptCommand({ CiphertextBlob, EncryptionContext }));
	t.deepEqual(Buffer.from(opened.Plaintext!), MATERIAL);
	const theirs = await client.send(new EncryptCommand({ KeyId: keyId, Plaintext: MATERIAL, EncryptionContext }));
	t.deepEqual(await root.unwrap(Buffer.concat([mark, theirs.CiphertextBlob!])), MATERIAL);
});

for (const [type, status, kind, says] of [
	['ThrottlingException', 400, RootKeyAwayError, /does not serve at the moment.*ThrottlingException/],
	['KMSInternalException', 500, RootKeyAwayError, /does not serve at the moment.*500 KMSInternalException/],
	['ServiceUnavailable', 503, RootKeyAwayError, /does not serve at the moment/],
	['KMSInvalidStateException', 400, RootKeyError, /cancel its deletion/],
	['NotFoundException', 400, RootKeyError, /there is no such key; look at keys\.awsKms\.keyId/],
	['ExpiredTokenException', 400, RootKeyAwayError, /login is refused.*credentials/],
	['ValidationException', 400, RootKeyError, /it refuses the call \(400 ValidationException/],
] as const) {
	test(`${type} is told with the key, what AWS answered and what to do`, async (t) => {
		const { service, root } = await openScene(t);
		const wrapped = await root.wrap(MATERIAL);
		service.failing = [status, type];
		const error = await t.throwsAsync(root.unwrap(wrapped), { instanceOf: kind, message: says });
		t.regex(error!.message, /^AWS KMS key [\w-]+ in eu-central-1: /);
		t.is(error instanceof RootKeyAwayError, (kind as unknown) === RootKeyAwayError);
	});
}

test('calls that are throttled for a moment are made again, and nobody notices', async (t) => {
	const { service, root } = await openScene(t);
	service.failing = [400, 'ThrottlingException'];
	service.onOperation = () => service.operations.length >= 3 && (service.failing = undefined);
	t.deepEqual(await root.unwrap(await root.wrap(MATERIAL)), MATERIAL);
	t.true(service.operations.length >= 4);
});

test('a service that hangs is left, and asked again', async (t) => {
	const { service, root } = await openScene(t);
	const wrapped = await root.wrap(MATERIAL);
	service.isHanging = true;
	await t.throwsAsync(root.unwrap(wrapped), { instanceOf: RootKeyAwayError, message: /no answer within 2 s/ });
	service.isHanging = false;
	t.deepEqual(await root.unwrap(wrapped), MATERIAL);
});

test('credentials come from the section [default] of a file, which is read each time', async (t) => {
	const file = join(temporaryFolder(t), 'credentials');
	const service = await openKmsDouble(t);
	const place = { keyId: service.makeKey('alias/tokendrop'), region: REGION, endpoint: service.url };
	const root = openKmsRootKey({ ...place, credentialsFile: file });
	t.teardown(() => root.close());
	await t.throwsAsync(root.wrap(MATERIAL), { message: /credentials of AWS cannot be read/ });
	const write = (secret: string, token = '') =>
		writeFileSync(
			file,
			`[other]\naws_secret_access_key=no\n# a comment\n[default]\naws_access_key_id = AKIATEST\r\naws_secret_access_key = ${secret}\n${token}`,
			{ mode: 0o600 },
		);
	write('yesterday');
	await t.throwsAsync(root.wrap(MATERIAL), { message: /login is refused.*InvalidSignatureException/ });
	write(KEYS.secretAccessKey);
	await t.notThrowsAsync(root.wrap(MATERIAL));
	service.users.set('AKIATEST', { secret: KEYS.secretAccessKey, sessionToken: 'lent', mayUseKeys: true });
	write(KEYS.secretAccessKey, 'aws_session_token = lent\n');
	await t.notThrowsAsync(root.wrap(MATERIAL));
	writeFileSync(file, '[other]\naws_access_key_id=x\n');
	await t.throwsAsync(credentialsOfFile(file).find(), { message: /section \[default\] must have/ });
});

test('a machine of AWS gives keys of its role, which are asked for again before they end', async (t) => {
	const asked: string[] = [];
	let [answer, endsInMs] = [200, 3_600_000];
	const server = createServer((request, response) => {
		asked.push(`${request.method} ${request.url}`);
		const isToken = request.url === '/latest/api/token';
		const isProved = isToken || request.headers['x-aws-ec2-metadata-token'] === 'a proof';
		response.writeHead(isProved ? answer : 401);
		if (isToken) return response.end('a proof');
		if (request.url!.endsWith('/security-credentials/')) return response.end('the-role\n');
		const Expiration = new Date(Date.now() + endsInMs).toISOString();
		response.end(JSON.stringify({ AccessKeyId: 'ASIATEST', SecretAccessKey: 's', Token: 'lent', Expiration }));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	const client = serviceClient('a key');
	t.teardown(() => client.close());
	const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const credentials = credentialsOfMachine(client, 'a key', url);
	const keys = await credentials.find();
	t.like(keys, { accessKeyId: 'ASIATEST', sessionToken: 'lent' });
	t.is(keys.secretKey.reveal(), 's');
	await credentials.find();
	t.deepEqual(asked, [
		'PUT /latest/api/token',
		'GET /latest/meta-data/iam/security-credentials/',
		'GET /latest/meta-data/iam/security-credentials/the-role',
	]);
	credentials.forget();
	endsInMs = 1_000;
	await credentials.find();
	await credentials.find();
	t.is(asked.length, 9, 'keys that end soon are asked for again');
	answer = 404;
	await t.throwsAsync(credentials.find(), { instanceOf: RootKeyAwayError, message: /no role of AWS \(404\); give it/ });
});

test('credentials on one line are read with a session token, which may have colons', (t) => {
	const keys = parseCredentials('A:b\n');
	t.is(keys.secretKey.reveal(), 'b');
	t.is(keys.sessionToken, undefined);
	t.is(parseCredentials('A:b:c:d').sessionToken, 'c:d');
	const error = t.throws(() => parseCredentials('nonsense-of-a-secret'), { instanceOf: RootKeyError });
	t.false(error!.message.includes('nonsense'));
});
