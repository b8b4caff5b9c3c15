// Tests the stream that tells open pages what has changed: who gets it, when it ends, and how many there may be.

import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { openPortalApp, type PortalApp, type SignedIn } from '../helpers/portal-app.ts';
import { until } from '../helpers/until.ts';
import { CSV, sendPiece } from './files.setup.ts';

/** Opens parts that listen, and returns a function that opens streams. */
async function listening(t: ExecutionContext<unknown>) {
	const parts: PortalApp = await openPortalApp(t, 'sqlite', { settings: { baseUrl: 'http://vault.example' } });
	let closed = 0;
	parts.app.server.on('connection', (socket) => socket.once('close', () => closed++));
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const base = `http://127.0.0.1:${(parts.app.server.address() as AddressInfo).port}`;
	const open = async ({ cookie }: Pick<SignedIn, 'cookie'>) => {
		const control = new AbortController();
		t.teardown(() => control.abort());
		const answer = await fetch(`${base}/portal/live?refresh=1`, {
			...{ headers: { cookie, 'accept-encoding': 'gzip' }, redirect: 'manual', signal: control.signal },
		});
		let text = '';
		const ended = (async () => {
			for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) text += chunk;
		})().then(
			() => true,
			() => false,
		);
		return { answer, ended, text: () => text, leave: () => control.abort() };
	};
	return { parts, open, closed: () => closed };
}

/** Returns the kinds that a stream has named. */
function kindsIn(text: string): string[] {
	return [...text.matchAll(/^event: changed\ndata: (.*)$/gm)].flatMap(([, kinds]) => kinds.split(' '));
}

test('a stream names what has changed and nothing of it, to those who may see it', async (t) => {
	const { parts, open } = await listening(t);
	const clerk = await parts.signIn('clerk');
	const stranger = await parts.signIn('clerk', { account: 'other' });
	const operator = await parts.signIn('operator');
	const [own, others, ofOperator] = [await open(clerk), await open(stranger), await open(operator)];
	t.is(own.answer.status, 200);
	t.regex(own.answer.headers.get('content-type') ?? '', /^text\/event-stream/);
	t.is(own.answer.headers.get('cache-control'), 'no-store');
	await until('the first look', () => kindsIn(own.text()).length === 5 && kindsIn(others.text()).length === 5);
	await until('the first look', () => kindsIn(ofOperator.text()).length > 0);
	t.deepEqual(kindsIn(ofOperator.text()), ['counts'], 'an operator sees nothing of accounts');
	await sendPiece(parts, clerk, CSV, { name: 'secret-name.csv' });
	await until('a change', () => kindsIn(own.text()).length > 5);
	t.true(kindsIn(own.text()).slice(5).includes('jobs'));
	t.is(kindsIn(others.text()).length, 5);
	t.notRegex(own.text(), /secret/);
});

test('without a session there is no stream, and a stream ends with its session, which it does not keep', async (t) => {
	const { parts, open } = await listening(t);
	t.is((await open({ cookie: '' })).answer.status, 303);
	const asked = { headers: { accept: 'text/event-stream' } };
	const browser = await parts.app.inject({ url: '/portal/live?refresh=1', ...asked });
	t.regex(browser.headers['content-type'] as string, /^text\/event-stream/);
	t.is(browser.body, 'event: ended\ndata: \n\n');
	const clerk = await parts.signIn('clerk');
	const stream = await open(clerk);
	const { seen_at: before } = await parts.database.knex('portal_sessions').first('seen_at');
	await until('a sign of life', () => /^:$/m.test(stream.text()));
	const { seen_at: after } = await parts.database.knex('portal_sessions').first('seen_at');
	t.is(after, before);
	await clerk.end();
	t.true(await stream.ended);
	t.regex(stream.text(), /event: ended\ndata: \n\n$/);
});

test('a fifth stream of a session ends the first, and those that left count no more', async (t) => {
	const { parts, open, closed } = await listening(t);
	const clerk = await parts.signIn('clerk');
	const streams = [];
	for (let n = 0; n < 4; n++) streams.push(await open(clerk));
	streams[3].leave();
	await streams[3].ended;
	await until('the end of a connection', () => closed() === 1);
	const fourth = await open(clerk);
	t.notRegex(streams[0].text(), /event: over/);
	await open(clerk);
	t.true(await streams[0].ended);
	t.regex(streams[0].text(), /event: over\ndata: \n\n$/);
	t.notRegex(fourth.text(), /event: over/);
});

test('a service that stops ends its streams at once', async (t) => {
	const { parts, open } = await listening(t);
	const stream = await open(await parts.signIn('clerk'));
	t.is(stream.answer.status, 200);
	const startedAt = performance.now();
	const closed = parts.app.close();
	t.true(await stream.ended);
	t.true(performance.now() - startedAt < 4_000, 'it did not wait for the next look at the session');
	parts.app.server.closeIdleConnections();
	await closed;
	t.notRegex(stream.text(), /event: (over|ended)/, 'browsers open it again, at another daemon');
});
