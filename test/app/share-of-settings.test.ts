import test from 'ava';
import { shareOf } from '../../src/app/start.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';

const settings = loadSettings({ env: { TOKENDROP_WORKERS: '3' } });

test('one process has all that the settings say', (t) => {
	t.deepEqual(shareOf(settings, 1), settings);
});

test('of several processes, each has its part of what they share, and all of what is counted or told for each', (t) => {
	const { http, sftp, relay } = settings;
	t.deepEqual(shareOf(settings, 2), {
		...settings,
		workers: 2,
		http: { ...http, maxConnections: http.maxConnections / 2 },
		sftp: { ...sftp, maxStartups: sftp.maxStartups / 2 },
		relay: {
			...relay,
			maxInFlight: relay.maxInFlight / 2,
			maxInFlightPerAccount: relay.maxInFlightPerAccount / 2,
			bodyThreads: 1,
		},
	});
});

test('no process is without any', (t) => {
	const { workers, relay } = shareOf(settings, 256);
	t.deepEqual([workers, relay.bodyThreads], [1, 1]);
});
