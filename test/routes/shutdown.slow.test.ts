import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openInstallation } from '../helpers/daemon.ts';
import { startPartner } from '../helpers/sftp-partner.ts';
import { until } from '../helpers/until.ts';

test('a daemon that is stopped in the middle of a run gives it back at once', async (t) => {
	const variables = { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true', TOKENDROP_SHUTDOWN_DRAIN_SECONDS: '1' };
	const installation = await openInstallation(t, { variables });
	const partner = await startPartner(t);
	mkdirSync(join(partner.folder, 'out'));
	const daemon = await installation.start();
	const whose = ['--user-id', 'demo'];
	const file = join(installation.folder, 'document.json');
	const { port, userName, hostKeys, keyFile } = partner;
	writeFileSync(
		file,
		JSON.stringify({ name: 'visa', host: '127.0.0.1', port, userName, hostKeys: [hostKeys.ed25519] }),
	);
	await installation.json('destination', 'put', ...whose, '--file', file, '--private-key-file', keyFile);
	const ends = { from: { destination: 'visa', path: 'out' }, to: { drop: '/tokenized/GBT' } };
	writeFileSync(file, JSON.stringify({ name: 'r', ...ends, do: { operation: 'none' } }));
	await installation.json('route', 'put', ...whose, '--file', file);
	// The file only has to stay unchanged, so the run waits for its second look with the connection open.
	writeFileSync(join(partner.folder, 'out', 'may.csv'), 'x');
	await installation.json('route', 'run', ...whose, '--name', 'r');
	await until('the run is under way', async () => {
		const files = await installation.json('route', 'files', ...whose, '--name', 'r');
		return files.length > 0;
	});
	const startedAt = performance.now();
	t.is(await daemon.stop(), 0);
	t.true(performance.now() - startedAt < 8_000);
	const { database } = await installation.parts();
	t.like(await database.knex('route_runs').first(), { state: 'running', claimed_by: null, lease_until: null });
});
