import test from 'ava';
import { isOtherServerAway, isUnavailable } from '../../src/base/database/dialect.ts';
import { openTestDatabase } from '../helpers/database.ts';

const judged = test.macro({
	title: (_, what: string, __, expected: boolean) => `${what} is ${expected ? 'a database that is away' : 'a defect'}`,
	exec: (t, _what: string, error: unknown, expected: boolean) => t.is(isUnavailable(error), expected),
});
const coded = (code: string) => Object.assign(new Error('x'), { code });
test(judged, 'a refused connection', coded('ECONNREFUSED'), true);
test(judged, 'a name server that does not answer', coded('EAI_AGAIN'), true);
test(judged, 'a host that cannot be reached', coded('EHOSTUNREACH'), true);
test(judged, 'a connection that ends', new Error('Connection terminated unexpectedly'), true);
test(
	judged,
	'a connection that ends within a statement',
	new Error('COMMIT; - Connection terminated unexpectedly'),
	true,
);
test(
	judged,
	'a rollback on a connection that broke',
	new Error('ROLLBACK - Client has encountered a connection error and is not queryable'),
	true,
);
test(judged, 'a unique index', coded('23505'), false);
test(judged, 'an error that names a connection', new Error('Connection terminated: null is not an object'), false);
test(judged, 'nothing', undefined, false);

test('a coordinator says that another server is away; what ends its own connection may have been stored', (t) => {
	const failed = (severity?: string) => Object.assign(new Error('x'), { code: '08006', severity });
	t.true(isOtherServerAway(failed('ERROR')));
	for (const error of [failed('FATAL'), failed(), coded('ECONNRESET'), undefined]) t.false(isOtherServerAway(error));
	t.false(isOtherServerAway(Object.assign(coded('23505'), { severity: 'ERROR' })));
});

test('a connection that breaks within a statement is a database that is away (postgres)', async (t) => {
	const { knex } = await openTestDatabase(t, 'postgres');
	const error = await t.throwsAsync(
		knex.transaction(async (transaction) => {
			const { connection } = await transaction.client.acquireConnection();
			// This is how it looks when the server process is killed: the socket ends, and no message says why.
			setTimeout(() => connection.stream.destroy(), 100);
			await transaction.raw('select pg_sleep(60)');
		}),
	);
	t.true(isUnavailable(error), String(error));
});
