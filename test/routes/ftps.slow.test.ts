// Files go to and from a partner over FTPS: vsftpd, which demands that connections for data resume the session.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { findCertificateFingerprint } from '../../src/base/outbound/ftps-partner.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { startFtpsPartner } from '../helpers/ftps-partner.ts';
import { CSV, namesIn, openRouteParts, textOf, WHOSE, writeOld } from '../helpers/route-parts.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const needing = testNeeding('vsftpd, started by root, with openssl');

async function openFtps(t: ExecutionContext) {
	const parts = await openRouteParts(t);
	const partner = await startFtpsPartner(t);
	const documents = makeFolder(t);
	const putDestination = (more: object, password = partner.password) => {
		const { port, userName, certificate } = partner;
		const document = {
			name: 'bank',
			kind: 'ftps',
			host: '127.0.0.1',
			port,
			userName,
			certificates: [certificate],
			...more,
		};
		writeFileSync(join(documents, 'bank.json'), JSON.stringify(document));
		writeFileSync(join(documents, 'password'), password);
		const files = ['--file', join(documents, 'bank.json'), '--password-file', join(documents, 'password')];
		return parts.run('destination', 'put', ...WHOSE, ...files);
	};
	return { ...parts, partner, putDestination };
}

needing('a partner who takes no file fails the try of the file, and nothing else', async (t) => {
	const { folder, put, putDestination, runNow } = await openFtps(t);
	// The folder in which a login starts may not be written to.
	t.is((await putDestination({ folder: '' })).code, 0);
	mkdirSync(join(folder, 'out'));
	writeOld(join(folder, 'out'), 'may.csv');
	writeOld(join(folder, 'out'), 'large.bin', Buffer.alloc(1_000_000, 7));
	await put({ folder, path: 'out' }, { operation: 'none' }, { destination: 'bank', path: 'in' });
	const refused = await runNow();
	t.is(refused.state, 'failed');
	for (const { state, reason } of refused.files)
		t.like({ state, reason }, { state: 'failed', reason: 'fileName: the file cannot be written' });
});

needing('files are collected, delivered, moved and numbered over FTPS, and each arrives whole', async (t) => {
	const { run, folder, partner, put, putDestination, runNow, route } = await openFtps(t);
	const stored = await putDestination({ folder: 'files' });
	t.is(stored.code, 0, stored.stderr);
	t.like(stored.json, { kind: 'ftps', hostKeys: [], certificates: [findCertificateFingerprint(partner.certificate)] });
	const checked = await run('destination', 'check', ...WHOSE, '--name', 'bank');
	t.like(checked.json, { isHostKeyExpected: true, entries: 0 }, checked.stderr);

	const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, nth) => (nth * 31 + (nth >> 9)) % 256));
	mkdirSync(join(folder, 'out'));
	writeOld(join(folder, 'out'), 'a.bin', bytes);
	writeOld(join(folder, 'out'), 'may.csv');
	const to = { destination: 'bank', path: 'in/{filter}x', doneFile: '{name}.ok', exists: 'number' };
	await put({ folder, path: 'out' }, { operation: 'none' }, to);
	const sent = await runNow();
	t.is(sent.state, 'done', JSON.stringify(sent));
	const into = join(partner.folder, 'in', 'x');
	t.deepEqual(namesIn(into), ['a.bin', 'a.bin.ok', 'may.csv', 'may.csv.ok']);
	t.true(readFileSync(join(into, 'a.bin')).equals(bytes));

	// Back again, as tokens; the second time the name is taken.
	const from = { destination: 'bank', path: 'in/x', files: ['*.csv'], afterwards: { move: 'done' } };
	await put(from, { operation: 'tokenize', filter: 'SIMPLECSV' }, { folder, path: 'back', exists: 'refuse' });
	await route('forget', '--name', 'r', '--file', 'may.csv');
	const fetched = await runNow();
	t.like(fetched, { state: 'done', files: [{ path: 'may.csv', cards: 1 }] });
	t.regex(textOf(join(folder, 'back'), 'may.csv'), /\n[0-9a-f]{32},12,2029,Visa\n$/);
	t.deepEqual(namesIn(join(into, 'done')), ['may.csv']);
	t.is(textOf(join(into, 'done'), 'may.csv'), CSV);
	const [seen] = (await route('files', '--name', 'r', '--state', 'done')).json;
	t.regex(seen.modifiedAt, /:\d\d\.000Z$/);
	t.true(Math.abs(Date.parse(seen.modifiedAt) - Date.now()) < 120_000, 'the time is exact, and not that of a listing');
});

needing('a certificate or a password that is not the right one stops before anything is sent', async (t) => {
	const { folder, partner, put, putDestination, runNow, route, run } = await openFtps(t);
	mkdirSync(join(folder, 'out'));
	writeOld(join(folder, 'out'), 'may.csv');
	await putDestination({ folder: 'files', certificates: [`SHA256:${'A'.repeat(43)}`] });
	await put({ folder, path: 'out' }, { operation: 'none' }, { destination: 'bank' });
	t.like(await runNow(), { state: 'failed', reason: 'host: its certificate is not the expected one' });
	await putDestination({ folder: 'files', certificates: [] });
	const checked = await run('destination', 'check', ...WHOSE, '--name', 'bank');
	t.regex(checked.json.error.message, /its certificate is not valid for its name/);
	await putDestination({ folder: 'files' }, partner.wrongPassword);
	await route('retry', '--name', 'r', '--file', 'may.csv');
	const refused = await route('check', '--name', 'r');
	t.like(refused.json.to, { isReached: false, reason: 'host: the password was not accepted' });
	await partner.kill();
	t.like((await route('check', '--name', 'r')).json.to, { reason: 'host: the connection was refused' });
	t.deepEqual(namesIn(partner.folder), []);
});

test('a destination names its kind, and only what belongs to that', async (t) => {
	const { run } = await openRouteParts(t);
	const file = join(makeFolder(t), 'bank.json');
	const put = async (more: object) => {
		const document = { name: 'bank', host: 'ftp.partner.example', userName: 'a', password: 'p', ...more };
		writeFileSync(file, JSON.stringify(document));
		const { json } = await run('destination', 'put', ...WHOSE, '--file', file);
		return json.error ? String(json.error.message) : json;
	};
	t.like(await put({ kind: 'ftps' }), { kind: 'ftps', port: 21 });
	t.like(await put({}), { kind: 'sftp', port: 22, certificates: [] });
	t.regex(await put({ kind: 'ftp' }), /kind: expected sftp, ftps or s3/);
	t.regex(await put({ certificates: [`SHA256:${'A'.repeat(43)}`] }), /certificates: only for kind ftps/);
	t.regex(await put({ kind: 'ftps', hostKeys: [`SHA256:${'A'.repeat(43)}`] }), /hostKeys: only for kind sftp/);
	t.regex(await put({ kind: 'ftps', certificates: ['AB:CD'] }), /certificates: expected fingerprints/);
});

test('a fingerprint of a certificate is read as openssl and as ssh-keygen write it', (t) => {
	const hex = Array.from({ length: 32 }, (_, nth) => nth.toString(16).padStart(2, '0')).join(':');
	const stored = findCertificateFingerprint(hex);
	t.regex(stored!, /^SHA256:[\w+/]{43}$/);
	for (const text of [hex.toUpperCase(), hex.replaceAll(':', ''), `SHA256:${hex}`, stored!, `${stored}=`]) {
		t.is(findCertificateFingerprint(text), stored, text);
	}
	for (const text of ['', 'SHA256:', hex.slice(3), 'MD5:00']) t.is(findCertificateFingerprint(text), undefined);
});
