// Tests what only a real connection shows: clients that are slow, speak no HTTP, or stay too long.

import { connect } from 'node:net';
import test from 'ava';
import { listen } from './listener.setup.ts';

test('two hosts, or a foreign one in the address, are refused', async (t) => {
	const { converse } = await listen(t);
	const status = async (target: string, ...hosts: string[]) => {
		const lines = [`GET ${target} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), 'Connection: close', '', ''];
		return (await converse(lines.join('\r\n'))).slice(9, 12);
	};
	const known = await status('/api', 'vault.example');
	t.is(known, '200');
	t.is(await status('/api', 'vault.example', 'evil.example'), '400');
	t.is(await status('/api', 'vault.example', 'vault.example'), '400');
	for (const target of [
		'http://evil.example/api',
		'https://evil.example/api',
		'http://vault.example:1/api',
		'ftp://vault.example/api',
		'evil.example/api',
	])
		t.is(await status(target, 'vault.example'), '400', target);
	t.not(await status('http://vault.example/api', 'vault.example'), '400');
	for (const host of [
		'vault.example, evil.example',
		'a@vault.example',
		'vault.example/api',
		'vault.example evil.example',
		'vault.example:x',
	])
		t.is(await status('/api', host), '400', host);
	for (const host of ['vault.example:8443', '127.0.0.1', '[::1]:8080', 'vault_1', 'VAULT.example.', ''])
		t.is(await status('/api', host), '200', host);
});

test('bytes that are not HTTP get an empty answer with a request id, and then the connection ends', async (t) => {
	const { converse } = await listen(t);
	for (const text of [
		'hello\r\n\r\n',
		'GET /probe HTTP/1.1\r\nbad header\r\n\r\n',
		`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n\r\n`,
	]) {
		const answered = await converse(text);
		t.regex(
			answered,
			/^HTTP\/1\.1 4\d\d [^\r]+\r\nx-request-id: [0-9a-f-]{36}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n$/,
		);
	}
});

test('requests that Node would answer by itself get a request id too', async (t) => {
	const { converse } = await listen(t);
	const closing = 'connection: close\r\n\r\n';
	const expecting = await converse(`GET /api HTTP/1.1\r\nhost: x\r\nexpect: tea\r\n${closing}`);
	t.regex(expecting, /^HTTP\/1\.1 417 /);
	const nowhere = await converse(`GET /api HTTP/1.1\r\naccept: application/json\r\n${closing}`);
	t.regex(nowhere, /^HTTP\/1\.1 400 [\s\S]*"moreInfo":"Host: is required"/);
	const fragment = await converse(
		`GET /api#sessionToken=x HTTP/1.1\r\nhost: x\r\naccept: application/json\r\n${closing}`,
	);
	t.regex(fragment, /^HTTP\/1\.1 400 [\s\S]*"moreInfo":"address: must not contain a fragment"/);
	for (const answered of [expecting, nowhere, fragment]) t.regex(answered, /\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
	t.regex(await converse(`GET /api HTTP/1.0\r\n\r\n`), /^HTTP\/1\.1 200 /);
});

test('connections beyond the limit are not taken', async (t) => {
	const { converse, port } = await listen(t, { maxConnections: 1 });
	const first = connect(port, '127.0.0.1');
	t.teardown(() => void first.destroy());
	await new Promise((resolve) => first.once('connect', resolve));
	t.is(await converse('GET /api HTTP/1.1\r\nhost: x\r\n\r\n'), '');
});
