// Tests that the environment does not change how calls use proxies and check certificates. The test has a file of its own
// because it changes the environment of its process.

import test from 'ava';
import {
	fails,
	httpServer,
	httpsServer,
	makeAuthority,
	openTestClient,
	rawServer,
} from '../helpers/outbound-servers.ts';

test('proxies named in the environment are not used, nor is certificate checking turned off by it', async (t) => {
	const proxy = await rawServer(t, () => {});
	const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
	const given = {
		...Object.fromEntries(variables.map((name) => [name, `http://127.0.0.1:${proxy.port}`])),
		NODE_USE_ENV_PROXY: '1',
		NODE_TLS_REJECT_UNAUTHORIZED: '0',
	};
	const before = { ...process.env };
	t.teardown(() => {
		process.env = before;
	});
	Object.assign(process.env, given);
	const authority = await makeAuthority();
	const plain = await httpServer(t, (_request, reply) => reply.end('direct'));
	const secure = await httpsServer(t, await authority.issue('partner.example'), (_request, reply) => reply.end());
	const { call } = openTestClient(t);
	t.is((await call(`http://partner.example:${plain.port}/`)).body.toString(), 'direct');
	const moreInfo = 'targetUri: the certificate was not issued by a trusted authority';
	await fails(t, call(`https://partner.example:${secure.port}/`), 'target-unreachable', moreInfo);
	t.is(proxy.connections, 0);
});
