import test from 'ava';
import { distributeNew, findAwayNodes, findCluster } from '../../src/base/database/postgres/citus.ts';
import { distributeDatabase } from '../../src/installation/move/distribute-database.ts';
import { CITUS_URL } from '../helpers/citus-url.ts';
import { coreDatabases, openTestDatabase } from '../helpers/database.ts';

const onPlain = CITUS_URL === undefined ? test : test.skip;

for (const dialect of coreDatabases) {
	onPlain(`${dialect}: a database without Citus is not spread, and nothing is recorded`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const audit = { record: async () => t.fail() } as never;
		await t.throwsAsync(distributeDatabase({ database, audit, actor: 'system:test' }, Date.now()), {
			message: /has no extension citus: make it the coordinator of a cluster first/,
		});
		t.deepEqual(await findAwayNodes(database), []);
	});
}

onPlain('postgres: without Citus migrations spread nothing', async (t) => {
	const database = await openTestDatabase(t, 'postgres');
	t.is(await findCluster(database), undefined);
	await t.notThrowsAsync(distributeNew(database));
});
