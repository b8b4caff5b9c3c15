// Runs PuTTY's two clients. Both need keys in PuTTY's own format, into which puttygen converts those of OpenSSH.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../ssh-clients.ts';
import type { SessionClient, SessionDoor } from './client.ts';
import { ClientRefused, Conversation } from './conversation.ts';

const NEEDS = ['PuTTY (putty-tools)'] as const;

async function proofOf({ folder, userName, password, keyFile }: SessionDoor): Promise<string[]> {
	if (keyFile !== undefined) {
		const ppk = `${keyFile}.ppk`;
		await run('puttygen', [keyFile, '-O', 'private', '-o', ppk]);
		return ['-i', ppk];
	}
	const file = join(folder, `${userName}.password`);
	await writeFile(file, `${password}\n`, { mode: 0o600 });
	return ['-pwfile', file];
}

async function optionsOf(door: SessionDoor): Promise<string[]> {
	const hostKeys = door.fingerprints.flatMap((each) => ['-hostkey', each.split(' ').at(-1)!]);
	return ['-batch', '-noagent', ...hostKeys, ...(await proofOf(door)), '-P', String(door.port)];
}

const PROMPT = 'psftp> ';

export const psftp: SessionClient = {
	name: "PuTTY's psftp",
	needs: NEEDS,
	async open(door) {
		const args = [...(await optionsOf(door)), `${door.userName}@127.0.0.1`];
		const program = { program: 'psftp', args, env: { HOME: door.folder }, cwd: door.folder };
		const talk = new Conversation(program, (said) => said.endsWith(PROMPT));
		/** Runs a command. psftp has no exit code for one, so its output must match what it writes on success. */
		const ask = async (command: string, success: RegExp) => {
			const said = (await talk.ask(command)).replace(PROMPT, '');
			if (!success.test(said)) throw new ClientRefused(said.trim());
			return said;
		};
		const greeting = await talk.answer();
		if (talk.hasEnded) throw new ClientRefused(greeting.trim());
		return {
			put: async (local, remote) => void (await ask(`put ${local} ${remote}`, /^local:.* => remote:.*\s*$/)),
			resume: async (local, remote) => void (await ask(`reput ${local} ${remote}`, /^reput: restarting/m)),
			rename: async (from, to) => void (await ask(`mv ${from} ${to}`, / -> /)),
			async names(folder) {
				const said = await ask(`ls ${folder}`, /^Listing directory/);
				const entries = said.split('\n').filter((line) => line.startsWith('-'));
				return entries.map((line) => line.split(/\s+/).at(-1)!);
			},
			get: async (remote, local) => void (await ask(`get ${remote} ${local}`, /^remote:.* => local:.*\s*$/)),
			end: () => talk.end(),
		};
	},
};

/** pscp opens a session for each command, and can neither resume nor rename files. */
export const pscp: SessionClient = {
	name: "PuTTY's pscp",
	needs: NEEDS,
	isOneShot: true,
	async open(door) {
		const options = ['-sftp', ...(await optionsOf(door))];
		const at = (path: string) => `${door.userName}@127.0.0.1:${path}`;
		const ask = async (...args: string[]) => {
			const { code, stdout, stderr } = await run('pscp', [...options, ...args], { env: { HOME: door.folder } });
			if (code !== 0) throw new ClientRefused(`${stdout}${stderr}`.trim());
			return stdout;
		};
		const cannot = async () => {
			throw new Error('internal error: pscp has no such verb');
		};
		await ask('-ls', at('/'));
		return {
			put: async (local, remote) => void (await ask(local, at(remote))),
			resume: cannot,
			rename: cannot,
			async names(folder) {
				const entries = (await ask('-ls', at(folder))).split('\n').filter((line) => line.startsWith('-'));
				return entries.map((line) => line.split(/\s+/).at(-1)!);
			},
			get: async (remote, local) => void (await ask(at(remote), local)),
			end: async () => {},
		};
	},
};
