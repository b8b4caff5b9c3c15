import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { callProvider } from '../../../src/work/payments/gateway/drivers/provider-http.ts';

test('an answer of a provider that would take long to read counts as none', async (t) => {
	const server = createServer((request, response) => {
		const bytes = Number(new URL(request.url!, 'http://localhost').searchParams.get('bytes'));
		response.end(JSON.stringify({ id: 'x'.repeat(bytes) }));
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	const { port } = server.address() as AddressInfo;
	const call = (bytes: number) =>
		callProvider({
			...{ url: new URL(`http://127.0.0.1:${port}/?bytes=${bytes}`), method: 'POST', headers: {}, body: '{}' },
			...{ deadlineAt: performance.now() + 30_000, signal: new AbortController().signal },
		});
	t.is((await call(200_000)).status, 200);
	await t.throwsAsync(call(300_000), { message: 'no answer' });
});
