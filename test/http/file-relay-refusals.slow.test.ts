// Those tests of file-relay-refusals.test.ts that take long.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import { openDestinations } from '../../src/work/relay/partners/destinations.ts';
import { BYTES, CAPTURE, callOf, HEAD, openPlain, RELAY, ROW } from '../helpers/file-relay.ts';
import { refuses } from './file-relay-refusals.setup.ts';

const WRONG_KEY = `SHA256:${'A'.repeat(43)}`;

const NAME = 'fileName: expected a name without a folder';
test(refuses, { filter: 'PDF' }, `filter: expected one of ${[...formats.keys()].join(', ')}`);
test(refuses, { fileName: '../may.csv' }, NAME);
test(refuses, { fileName: '..' }, NAME);
test(refuses, { fileName: 'a\\b' }, NAME);
test(refuses, { fileName: 'a\0b' }, 'fileName: may not hold control characters');
test(refuses, { fileName: 'a'.repeat(241) }, 'fileName: expected at most 240 bytes');
test(refuses, { fileName: '4111111111111111.csv' }, 'fileName: looks like a card number');
test(refuses, { path: 'in/4111-1111-1111-1111' }, 'path: looks like a card number');
test(refuses, { userName: '4111111111111111' }, 'userName: looks like a card number');
test(refuses, { fileName: '' }, 'fileName: is required');
test(refuses, { path: 'in/../../etc' }, "path: expected a folder without '..'");
test(refuses, { host: '' }, 'host: is required, or a destination');
test(refuses, { host: 'a/b' }, 'host: expected a host name or an address');
test(refuses, { userName: 'stranger', hostKey: WRONG_KEY }, 'host: its key is not the expected one', 502);

test('a partner is reached once the caller may, and only in public ranges', async (t) => {
	const { parts, partner, at } = await openPlain(t, {}, { fileRelay: { allowPrivate: false } });
	const caller = await parts.createCaller('other', { permissions: ['FileTokenize', 'Relay', 'Capture'] });
	const json = { accept: 'application/json' };
	const call = callOf(RELAY, at);
	const denied = await caller.inject('POST', call.url, { headers: { ...call.headers, ...json }, payload: HEAD });
	t.is(denied.statusCode, 403);
	t.is(denied.json().message, 'Permission FileDetokenize is required');
	for (const host of ['127.0.0.1', '169.254.169.254', '[::1]', '2130706433', 'localhost']) {
		const { url, headers } = callOf(CAPTURE, at, { host });
		const response = await caller.inject('POST', url, { headers: { ...headers, ...json } });
		t.is(response.statusCode, 400, host);
		t.is(response.json().moreInfo, 'host: the host is not allowed', host);
	}
	const { url } = callOf(CAPTURE, at);
	const nameless = await caller.inject('POST', url, { headers: { ...BYTES, ...json } });
	t.is(nameless.json().moreInfo, 'X-service-Sftp-Password: is required, or a destination');
	const unknown = await caller.inject('POST', `${CAPTURE}?filter=GBT&destination=bank&fileName=a`, { headers: json });
	t.is(unknown.json().moreInfo, 'destination: the account has no destination with this name');
	t.deepEqual(partner.logins, []);
});

test('production wants to know the host key before anything is said', async (t) => {
	const { caller, partner, at, parts } = await openPlain(t, {}, { fileRelay: { environment: 'production' } });
	const { url, headers } = callOf(CAPTURE, at);
	const response = await caller.inject('POST', url, { headers: { ...headers, accept: 'application/json' } });
	t.is(response.statusCode, 400);
	t.regex(response.json().moreInfo, /^hostKey: is required/);
	const owner = { accountId: caller.account.id, userId: 'agency' };
	const { password, ...login } = at;
	const destination = { name: 'bank', host: '127.0.0.1', ...login, folder: 'in', hostKeys: [] };
	await openDestinations(parts).put(owner, { destination, secrets: { password } }, 'operator test');
	const stored = await caller.inject('POST', `${CAPTURE}?filter=GBT&destination=bank&fileName=a`, {
		headers: { accept: 'application/json' },
	});
	t.is(stored.json().moreInfo, 'destination: holds no host key; put it with one');
	t.deepEqual(partner.logins, []);
	partner.files.set('in/may.csv', { bytes: Buffer.from(HEAD + ROW), mtime: 1 });
	const known = await caller.inject('POST', callOf(CAPTURE, at, { hostKey: partner.hostKey }).url, { headers });
	t.is(known.statusCode, 200);
});
