// Many uploads run at once, with a small limit of memory for all of them.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { forgetPeak, readProcess } from '../../bench/process-usage.ts';
import { startInstallation } from '../helpers/daemon.ts';
import { demoDoor, opensshSftp } from '../helpers/daemon-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

const SESSIONS = 12;
const MEBI = 1024 * 1024;

testNeeding('OpenSSH (openssh-client)')(
	'twelve clients that upload at once hold no more than the daemon may keep, and all of them get there',
	async (t) => {
		const limit = 4 * MEBI;
		const { installation, daemon } = await startInstallation(t, {
			variables: { TOKENDROP_SFTP_MAX_HELD_BYTES: String(limit) },
		});
		const file = join(installation.folder, 'large.csv');
		writeFileSync(file, Buffer.alloc(24 * MEBI, 'a line without cards\n'));
		const figure = async () => {
			const metrics = await (await fetch(`http://127.0.0.1:${daemon.opsPort}/metrics`)).text();
			return Number(/^tokendrop_sftp_held_bytes (\d+)/m.exec(metrics)?.[1]);
		};
		let [most, isOver] = [0, false];
		const watch = (async () => {
			while (!isOver) most = Math.max(most, await figure());
		})();
		if (process.platform === 'linux') forgetPeak(daemon.pid);
		const before = process.platform === 'linux' ? readProcess(daemon.pid).peakMb : 0;
		const door = demoDoor(installation, daemon);
		const outcomes = await Promise.all(
			Array.from({ length: SESSIONS }, (_, n) => {
				// Each client has a folder of its own for the program that gives the password.
				const folder = join(installation.folder, String(n));
				mkdirSync(folder);
				return opensshSftp({ ...door, folder }, [`put ${file} /tokenize/SIMPLECSV/${n}.filepart`]);
			}),
		);
		isOver = true;
		await watch;
		t.deepEqual(
			outcomes.map(({ code }) => code),
			outcomes.map(() => 0),
		);
		t.true(most > 0);
		// What each session may always hold (256 KiB), its next packet, and what its socket has read last come on top; how much
		// of that comes together depends on how busy the disk is.
		t.true(most <= limit + SESSIONS * 0.75 * MEBI, `${most} bytes held`);
		const peak = process.platform === 'linux' ? readProcess(daemon.pid).peakMb : 0;
		t.true(peak - before < 180, `${before} MB before, ${peak} MB at most`);
		await until('everything to be given back', async () => (await figure()) === 0);
	},
);
