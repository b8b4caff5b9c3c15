// Runs the script of docs/sftp.md that uploads a file, waits for its report and fetches the result.

import { readFileSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeSshKey } from '../helpers/daemon-credentials.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { run } from '../helpers/ssh-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const shared = shareDaemon();
const document = readFileSync(new URL('../../docs/sftp.md', import.meta.url), 'utf8');
const [, script] = /```sh\n(#!\/bin\/sh\n.*?)```/s.exec(document)!;
const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,NameOnCard\n';

/** Returns the script as it would be at a customer's, for this daemon. */
function localScript(port: number, userId: string): string {
	const pairs = [
		['filter=GBT', 'filter=SIMPLECSV'],
		['sftp -q', 'sftp -q -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o IdentitiesOnly=yes'],
		['-P 2022', `-P ${port}`],
		['acme@HOST', `${userId}@127.0.0.1`],
		['sleep 10', 'sleep 0.2'],
	];
	return pairs.reduce((text, [from, to]) => {
		if (!text.includes(from)) throw new Error(`the script has no ${from}`);
		return text.replace(from, to);
	}, script);
}

testNeeding('OpenSSH (openssh-client)')(
	'the script for a cron job fetches the result of the file that it sent, and tells of one that failed',
	async (t) => {
		const { installation, daemon } = shared;
		const { userId } = installation.demo;
		const key = await makeSshKey(installation.folder, 'id_cron');
		const added = ['--user-id', userId, '--file', `${key}.pub`, '--permissions', 'all'];
		await installation.json('ssh-key', 'add', ...added);
		const home = join(installation.folder, 'home');
		await mkdir(join(home, '.ssh'), { recursive: true });
		await rename(key, join(home, '.ssh', 'id_ed25519'));
		const cron = async (content: string) => {
			await writeFile(join(home, 'may.csv'), content);
			return run('sh', ['-c', localScript(daemon.sftpPort, userId)], { cwd: home, env: { HOME: home } });
		};
		const result = () => readFile(join(home, 'may.csv.tokens'), 'utf8');
		for (const guest of ['MONDAY', 'TUESDAY']) {
			const outcome = await cron(`${HEAD}4111111111111111,12,2029,${guest}\n`);
			t.is(outcome.code, 0, outcome.stderr);
			t.regex(await result(), new RegExp(`\n[0-9A-Fa-f]{32},12,2029,${guest}\n`));
		}
		const failed = await cron(`${HEAD}"a quote that never closes\n`);
		t.is(failed.code, 1);
		t.regex(failed.stderr, /"state": "failed"/);
		const corrected = await cron(`${HEAD}4111111111111111,12,2029,CORRECTED\n`);
		t.is(corrected.code, 0, corrected.stderr);
		t.regex(await result(), /CORRECTED/);
	},
);
