// Runs OpenSSH's sftp in one session, with the commands that a person would type.

import { askingVariables, opensshLogin, SSH_OPTIONS } from '../daemon-clients.ts';
import type { SessionClient } from './client.ts';
import { ClientRefused, Conversation } from './conversation.ts';

const DONE = 'that is all';
/**
 * Marks the end of an answer. sftp does not say when a command ends, so a shell command after it prints a text. Before
 * that the server is asked once more: ssh hands the answers of the server to sftp before it writes what the server says
 * on the standard error, so on a busy machine the end of a command may show before its reason, but not two answers.
 */
const END_OF_ANSWER = `cd /\n!echo ${DONE}`;
/** Matches what sftp writes besides errors: the commands, and what it is about to do. */
const ORDINARY = /^(sftp> |Connected to |Uploading |Resuming upload |Fetching |Resuming |that is all)/;

export const openssh: SessionClient = {
	name: "OpenSSH's sftp",
	needs: ['OpenSSH (openssh-client)'],
	async open(door) {
		const args = [...SSH_OPTIONS, ...opensshLogin(door), '-P', String(door.port), `${door.userName}@127.0.0.1`];
		const run = { program: 'sftp', args, env: await askingVariables(door), cwd: door.folder };
		const talk = new Conversation(run, (said) => said.includes(`\n${DONE}\n`));
		const ask = async (command: string) => {
			const said = await talk.ask(`${command}\n${END_OF_ANSWER}`);
			const lines = said.split(/[\r\n]+/).filter((line) => line !== '' && !ORDINARY.test(line));
			const isListing = command.startsWith('ls ') && !talk.hasEnded;
			if (talk.hasEnded || (lines.length > 0 && !isListing)) throw new ClientRefused(lines.join('\n'));
			return lines;
		};
		await ask('pwd /').catch((error) => {
			if (talk.hasEnded) throw error;
		});
		return {
			put: async (local, remote) => void (await ask(`put ${local} ${remote}`)),
			resume: async (local, remote) => void (await ask(`put -a ${local} ${remote}`)),
			rename: async (from, to) => void (await ask(`rename ${from} ${to}`)),
			names: async (folder) => (await ask(`ls -1 ${folder}`)).map((line) => line.split('/').at(-1)!),
			get: async (remote, local) => void (await ask(`get ${remote} ${local}`)),
			end: () => talk.end(),
		};
	},
};
