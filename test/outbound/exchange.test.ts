import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import { openConnections, run } from './exchange.setup.ts';

test('a connection that is gone before a byte was sent: the call goes out once, over a new one', async (t) => {
	const connections = await openConnections(t);
	const gone = await connections.openClosed();
	const answer = await run({ take: () => gone, open: connections.open });
	t.is(String(answer.body), 'ok');
	t.is(connections.requests, 1);
});

test('new connections that are gone as well end the call: it does not go round in circles', async (t) => {
	const connections = await openConnections(t);
	let opened = 0;
	const open = () => {
		opened++;
		return connections.openClosed();
	};
	const gone = await connections.openClosed();
	const error = await t.throwsAsync(run({ take: () => gone, open }), { instanceOf: ServiceError });
	t.is(error.reason, 'target-unreachable');
	t.is(error.moreInfo, 'targetUri: the connection was closed before the answer was complete');
	t.is(opened, 1);
	t.is(connections.requests, 0);
});

const refused = test.macro(async (t, answersBefore: number) => {
	const connections = await openConnections(t, (count) => {
		if (count <= answersBefore) return 'answered';
		connections.breakWith('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA');
		return 'ignored';
	});
	const connection = await connections.open();
	const target = { take: () => connection };
	for (let calls = 0; calls < answersBefore; calls++) t.is(String((await run(target)).body), 'ok');
	const error = await t.throwsAsync(run(target), { instanceOf: ServiceError });
	t.is(error.moreInfo, 'targetUri: the target did not accept the client certificate, or asks for one');
	t.is(error.isOutcomeUnknown, answersBefore > 0);
});
test('a target that refuses the client certificate on a new connection has not read the call', refused, 0);
test('a refused client certificate after an answer over the same connection leaves the outcome unknown', refused, 1);
