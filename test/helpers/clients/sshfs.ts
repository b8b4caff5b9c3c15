// Runs sshfs, which shows the daemon's tree as a folder of this machine, and works in it as a person would in a shell.

import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { askingVariables, opensshLogin, SSH_OPTIONS } from '../daemon-clients.ts';
import { run } from '../ssh-clients.ts';
import { until } from '../until.ts';
import type { SessionClient } from './client.ts';
import { ClientRefused, Conversation } from './conversation.ts';

/** The option -F of ssh is one of sshfs too. */
const OPTIONS = ['-o', 'dir_cache=no', ...SSH_OPTIONS];

export const sshfs: SessionClient = {
	name: 'sshfs',
	needs: ['sshfs (sshfs, fuse3, openssh-client)', 'the right to mount with FUSE (/dev/fuse)'],
	// The kernel carries nothing but numbers of errors.
	saysOfCodes: { failure: /Operation not permitted/, 'permission-denied': /Permission denied/ },
	async open(door) {
		const mounted = await mkdtemp(join(door.folder, 'mounted-'));
		const args = [...OPTIONS, ...opensshLogin(door), '-p', String(door.port), '-f'];
		const program = { program: 'sshfs', args: [...args, `${door.userName}@127.0.0.1:/`, mounted] };
		const talk = new Conversation({ ...program, env: await askingVariables(door) }, () => false);
		const end = async () => {
			await run('fusermount3', ['-u', '-z', mounted]);
			await talk.end();
		};
		/** Runs a command. After the connection is lost, nothing is mounted, and the empty folder must not pass for an answer. */
		const shell = async (script: string, ...words: string[]) => {
			const { code, stdout, stderr } = await run('sh', [
				'-c',
				`cd "$1" && shift && ${script}`,
				'sh',
				mounted,
				...words,
			]);
			if (talk.hasEnded) throw new ClientRefused(await talk.answer());
			if (code !== 0) throw new ClientRefused(stderr.trim());
			return stdout;
		};
		try {
			await until('the tree is mounted', async () => (await shell('ls')) !== '');
		} catch (error) {
			await end();
			throw error;
		}
		return {
			put: async (local, remote) => void (await shell('cp "$1" ".$2"', local, remote)),
			resume: async (local, remote) =>
				void (await shell('tail -c "+$(($(stat -c %s ".$2") + 1))" "$1" >>".$2"', local, remote)),
			rename: async (from, to) => void (await shell('mv ".$1" ".$2"', from, to)),
			names: async (folder) => (await shell('ls ".$1"', folder)).split('\n').filter((line) => line !== ''),
			get: async (remote, local) => void (await shell('cp ".$1" "$2"', remote, local)),
			end,
		};
	},
};
