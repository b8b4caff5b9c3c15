import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import test from 'ava';
import type { ParsedKey } from 'ssh2';
import type { AccountId } from '../../src/base/database/ids.ts';
import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { parseDestination } from '../../src/work/relay/partners/destination-document.ts';
import { destinationStore, sealedDestinations } from '../../src/work/relay/partners/destination-store.ts';
import { openDestinations, requireTls } from '../../src/work/relay/partners/destinations.ts';
import { databases } from '../helpers/database.ts';
import { openFileParts } from '../helpers/file-parts.ts';
import { changeSealed } from '../helpers/reseal.ts';
import { makePerson } from '../helpers/ssh-people.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

const FINGERPRINT = `SHA256:${'Ab+/'.repeat(10)}Abc`;
const TEXT = `
name: bank
host: SFTP.Bank.Example   # as they wrote to us
port: 2222
userName: agency
folder: /incoming
hostKeys:
  - ${FINGERPRINT}
password: hunter2 and more
`;
const owner = { accountId: 7 as AccountId, userId: 'agency' };

for (const dialect of databases) {
	test(`a destination is kept with its secrets sealed, shown without them, replaced and removed (${dialect})`, async (t) => {
		const { database, keyRing } = await openFileParts(t, dialect);
		const audit = await openAudit({ database, keyRing });
		const destinations = openDestinations({ database, keyRing, audit });
		const shown = await destinations.put(owner, parseDestination(TEXT), 'operator test');
		const expected = { name: 'bank', host: 'sftp.bank.example', port: 2222, userName: 'agency', folder: '/incoming' };
		t.like(shown, { ...expected, hostKeys: [FINGERPRINT], hasPassword: true, hasPrivateKey: false });
		t.false(JSON.stringify([shown, await destinations.list(owner.accountId)]).includes('hunter2'));
		const { partner, folder } = await destinations.getPartner(owner.accountId, 'bank');
		t.is(partner.password?.reveal(), 'hunter2 and more');
		t.is(partner.privateKey, undefined);
		t.is(folder, '/incoming');

		const row = (await destinationStore(database.knex).find(owner.accountId, 'bank'))!;
		t.false(Object.values(row).some((value) => Buffer.from(String(value)).includes('hunter2')));
		t.false(row.sealed.includes('hunter2'));
		// The secrets are sealed for an account and a name, so a copy of the row under another account or name does not open.
		for (const moved of [{ name: 'other' }, { account_id: 8 as AccountId }]) {
			const copy = { ...row, ...moved };
			await destinationStore(database.knex).put(copy);
			await t.throwsAsync(destinations.getPartner(copy.account_id, copy.name), {
				message: /no destination with this name/,
			});
			await changeSealed({ database, keyRing }, sealedDestinations, {}, {});
			await t.throwsAsync(destinations.getPartner(copy.account_id, copy.name), { name: 'SealError' });
			await destinationStore(database.knex).remove(copy.account_id, copy.name);
		}

		await destinations.put(owner, parseDestination('{"name":"bank","host":"::1","userName":"a","password":"p"}'), 'x');
		t.like(await destinations.get(owner.accountId, 'bank'), { host: '::1', port: 22, folder: '', hostKeys: [] });
		t.is((await destinations.list(owner.accountId)).length, 1);
		t.deepEqual(await destinations.list(8 as AccountId), []);
		await t.throwsAsync(destinations.get(8 as AccountId, 'bank'), {
			message: /destination: the account has no destination/,
		});
		t.true(await destinations.remove(owner, 'bank', 'operator test'));
		t.false(await destinations.remove(owner, 'bank', 'operator test'));
		const trail = await database.knex('audit').where('action', 'like', 'destination.%').orderBy('seq');
		t.deepEqual(
			trail.map(({ action, subject }) => `${action} ${subject}`),
			['destination.put', 'destination.put', 'destination.remove'].map((action) => `${action} account agency`),
		);
		t.false(JSON.stringify(trail).includes('hunter2'));
	});
}

for (const dialect of databases) {
	test(`a bucket is kept with its secret key sealed, and shown without it (${dialect})`, async (t) => {
		const { database, keyRing } = await openFileParts(t, dialect);
		const audit = await openAudit({ database, keyRing });
		const destinations = openDestinations({ database, keyRing, audit });
		const text = 'name: b\nkind: s3\nbucket: feeds\naccessKeyId: AKTEST\nregion: eu-central-1\nfolder: in\n';
		const put = (more: string) => destinations.put(owner, parseDestination(text + more, { secretKey: 'hunter2' }), 'x');
		const shown = await put('');
		const { createdAt: _, updatedAt: __, ...parts } = shown;
		t.deepEqual(parts, {
			...{ name: 'b', kind: 's3', bucket: 'feeds', region: 'eu-central-1', accessKeyId: 'AKTEST', folder: 'in' },
			endpoint: 'https://s3.eu-central-1.amazonaws.com',
			...{ hasPassword: false, hasPrivateKey: false, hasSecretKey: true },
		} as typeof parts);
		const row = (await destinationStore(database.knex).find(owner.accountId, 'b'))!;
		t.like(row, { host: 's3.eu-central-1.amazonaws.com', port: 443, user_name: 'AKTEST' });
		for (const endpoint of ['http://[::1]:9000', 'http://minio.example', 'https://minio.example:9443']) {
			await put(`endpoint: "${endpoint}/"\n`);
			const { kind, folder, partner } = await destinations.getServer(owner.accountId, 'b');
			t.like({ kind, folder, ...partner }, { kind: 's3', folder: 'in', endpoint, bucket: 'feeds' });
			t.is(kind === 's3' && partner.secretKey.reveal(), 'hunter2');
			const server = await destinations.getServer(owner.accountId, 'b');
			t.notThrows(() => requireTls(server, 'sandbox'));
			const inProduction = () => requireTls(server, 'production');
			if (endpoint.startsWith('https:')) t.notThrows(inProduction);
			else t.throws(inProduction, { message: /destination: has an endpoint without TLS/ });
		}
		await t.throwsAsync(destinations.getPartner(owner.accountId, 'b'), {
			message: /destination: is reached over S3, which only routes use/,
		});
		const kept = await database.knex('destinations').select();
		const said = [kept.map((each) => ({ ...each, sealed: String(each.sealed) })), await database.knex('audit'), shown];
		t.false(JSON.stringify(said).includes('hunter2'));
	});
}

const refuses = test.macro({
	exec(t, text: string, ...lines: string[]) {
		const error = t.throws(() => parseDestination(text)) as Error & { moreInfo: string };
		t.is(error.moreInfo, ['the destination is not usable:', ...lines.map((line) => `  ${line}`)].join('\n'));
		t.false(error.message.includes('hunter2'));
	},
	title: (title) => `${title} is refused with its place`,
});
const GOOD = 'name: bank\nhost: a.example\nuserName: a\npassword: hunter2\n';
test('a port out of range', refuses, `${GOOD}port: 70000\n`, 'line 5, column 7: port: expected a port, 1 to 65535');
test(
	'a folder that leads out',
	refuses,
	`${GOOD}folder: in/../x\n`,
	"line 5, column 9: folder: expected a folder without '..'",
);
test(
	'a host key of another kind',
	refuses,
	`${GOOD}hostKeys: [MD5:00]\n`,
	'line 5, column 11: hostKeys: expected fingerprints as ssh-keygen -l shows them: SHA256: and 43 characters',
);
test(
	'a name with a slash, a host that is none',
	refuses,
	'name: a/b\nhost: a b\nuserName: a\npassword: hunter2\n',
	'line 1, column 7: name: expected 1 to 64 letters, digits, dots, hyphens and underscores',
	'line 2, column 7: host: expected a host name or an address',
);
test(
	'no way to log in',
	refuses,
	'name: bank\nhost: a.example\nuserName: a\n',
	'line 1, column 1: a password or a privateKey is required',
);
test(
	'a card number',
	refuses,
	'name: bank\nhost: a.example\nuserName: "4111111111111111"\nfolder: in/4111.1111.1111.1111\npassword: hunter2\n',
	'line 3, column 11: userName: expected no card number: a destination is kept in clear',
	'line 4, column 9: folder: expected no card number: a destination is kept in clear',
);
test(
	'a key that is none',
	refuses,
	`${GOOD}privateKey: hunter2\n`,
	'line 5, column 13: privateKey: is not a private key in OpenSSH or PEM format',
);
test(
	'a key nobody knows',
	refuses,
	`${GOOD}pasword: hunter2\n`,
	'line 5, column 1: no such key; one of name, kind, folder, host, port, userName, hostKeys, certificates, endpoint, bucket, region, accessKeyId, password, privateKey, passphrase, secretKey',
);
const BUCKET = 'name: bank\nkind: s3\nbucket: feeds\naccessKeyId: AK\nsecretKey: hunter2\n';
test(
	'a bucket with what only servers have, all at once,',
	refuses,
	`${BUCKET}host: a.example\nport: 22\nhostKeys: [x]\npassword: hunter2\n`,
	'line 6, column 7: host: only for kinds sftp and ftps',
	'line 7, column 7: port: only for kinds sftp and ftps',
	'line 8, column 11: hostKeys: only for kinds sftp and ftps',
	'line 1, column 1: s3 takes a secretKey, and no password',
);
test(
	'a bucket whose parts are none',
	refuses,
	'name: bank\nkind: s3\nbucket: Feeds_1\nregion: a b\nendpoint: https://s3.example/feeds\naccessKeyId: a b\nfolder: ../x\n',
	"line 7, column 9: folder: expected a folder without '..'",
	'line 4, column 9: region: expected a region, such as eu-central-1',
	'line 5, column 11: endpoint: expected the address of a server, https://, without a path',
	'line 3, column 9: bucket: expected 3 to 63 small letters, digits, dots and hyphens',
	'line 6, column 14: accessKeyId: expected 1 to 128 characters without blanks',
	'line 1, column 1: s3 needs a secretKey',
);
test(
	'a server with what only buckets have',
	refuses,
	`${GOOD}bucket: feeds\nsecretKey: hunter2\n`,
	'line 5, column 9: bucket: only for kind s3',
	'line 1, column 1: only kind s3 takes a secretKey',
);
test(
	'a card number in a bucket',
	refuses,
	`${BUCKET.replace('AK', '"4111111111111111"')}folder: in/4111.1111.1111.1111\n`,
	'line 4, column 14: accessKeyId: expected no card number: a destination is kept in clear',
	'line 6, column 9: folder: expected no card number: a destination is kept in clear',
);
test('what is no YAML', refuses, 'name: [bank', 'line 1, column 12: expected valid YAML or JSON (BAD_INDENT)');
test('a list', refuses, '- hunter2', 'line 1, column 1: expected keys and values');

test('secrets given apart stand in for those of the text; a locked key needs its passphrase', (t) => {
	const { privateKey } = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
		privateKeyEncoding: { type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open sesame' },
	});
	const locked = () => parseDestination(GOOD, { privateKey });
	t.throws(locked, { message: /privateKey: cannot be opened with this passphrase/ });
	const wrong = () => parseDestination(GOOD, { privateKey, passphrase: 'wrong' });
	t.throws(wrong, { message: /privateKey: cannot be opened with this passphrase/ });
	const { secrets } = parseDestination(GOOD, { privateKey, passphrase: 'open sesame', password: 'other' });
	t.is(secrets.password, 'other');
	t.regex(secrets.privateKey!, /^-----BEGIN RSA PRIVATE KEY-----\n(?!Proc-Type)/);
	t.false('passphrase' in secrets);
	const keyless = () => parseDestination(GOOD, { passphrase: 'x' });
	t.throws(keyless, { message: /a passphrase opens a privateKey/ });
});

sshTest('a key is opened once with its passphrase, of each type, and is the same key', (t) => {
	for (const type of ['ed25519', 'ecdsa', 'rsa'] as const) {
		const { file } = makePerson(t, type, 'open sesame');
		const locked = readFileSync(file, 'utf8');
		const { secrets } = parseDestination(GOOD, { privateKey: locked, passphrase: 'open sesame' });
		t.false('passphrase' in secrets);
		const [given, opened] = [
			ssh2.utils.parseKey(locked, 'open sesame') as ParsedKey,
			ssh2.utils.parseKey(secrets.privateKey!) as ParsedKey,
		];
		t.deepEqual(opened.getPublicSSH(), given.getPublicSSH());
		const message = Buffer.from('to be signed');
		t.true(given.verify(message, opened.sign(message) as Buffer));
		const copy = `${file}.opened`;
		writeFileSync(copy, secrets.privateKey!, { mode: 0o600 });
		const told = execFileSync('ssh-keygen', ['-y', '-P', '', '-f', copy], { encoding: 'utf8' });
		t.is(told.trim().split(' ')[1], given.getPublicSSH().toString('base64'));
	}
});

test('an RSA key that would keep the process busy at each login is refused', (t) => {
	const { privateKey } = generateKeyPairSync('rsa', {
		modulusLength: 4104,
		publicKeyEncoding: { type: 'spki', format: 'pem' },
		privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
	});
	const read = () => parseDestination(GOOD, { privateKey });
	t.throws(read, { message: /privateKey: is an RSA key of more than 4096 bits/ });
});
