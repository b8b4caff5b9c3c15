import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { listening } from '../../src/app/listening.ts';

test('a door whose port is taken names the settings to change', async (t) => {
	const first = createServer().listen(0, '127.0.0.1');
	t.teardown(() => first.close());
	await once(first, 'listening');
	const second = createServer().listen((first.address() as AddressInfo).port, '127.0.0.1');
	await t.throwsAsync(listening('sftp', once(second, 'listening')), {
		message: /^sftp\.host, sftp\.port: .*EADDRINUSE/,
	});
});

test('an error that does not concern the address stays unchanged', async (t) => {
	await t.throwsAsync(listening('http', Promise.reject(new Error('no key'))), { message: 'no key' });
	const unreadable = Object.assign(new Error('open tls.pem'), { code: 'EACCES', syscall: 'open' });
	await t.throwsAsync(listening('http', Promise.reject(unreadable)), { message: 'open tls.pem' });
});
