// Those tests of exchange.test.ts that take long.

import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import type { Connection } from '../../src/base/outbound/connection.ts';
import { until } from '../helpers/until.ts';
import { openConnections, run } from './exchange.setup.ts';

test('a connection that comes too late is closed, not kept', async (t) => {
	const connections = await openConnections(t);
	let late: Connection | undefined;
	const open = async (signal: AbortSignal) => {
		await new Promise((resolve) => signal.addEventListener('abort', resolve));
		late = await connections.open();
		return late;
	};
	const begin = performance.now();
	const error = await t.throwsAsync(run({ take: () => undefined, open }), { instanceOf: ServiceError });
	t.is(error.reason, 'request-timed-out');
	t.true(performance.now() - begin < 3000);
	await until('it opens all the same', () => late);
	t.false(late!.isOpen);
	t.is(connections.requests, 0);
});
