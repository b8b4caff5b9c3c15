// Defines the clients that are libraries. Each has a script beside this file that carries out one line after the other.

import { fileURLToPath } from 'node:url';
import { JSCH, PYTHON } from '../programs.ts';
import type { ClientSession, SessionClient, SessionDoor } from './client.ts';
import { ClientRefused, Conversation } from './conversation.ts';

interface Script extends Omit<SessionClient, 'open'> {
	readonly program: string;
	/** What the program is told before the script. */
	readonly options?: readonly string[];
	readonly script: string;
	readonly env?: Readonly<Record<string, string>>;
}

/** Matches the line with which a script answers. Other output, such as warnings of its language, is on other lines. */
const ANSWER = /^(ok|failed)(?:\t(.*))?\n/m;

function wordsOf(said: string): string[] {
	const [, outcome, words] = ANSWER.exec(said) ?? [];
	if (outcome !== 'ok') throw new ClientRefused(words ?? said);
	return words?.split('\t') ?? [];
}

function environmentOf({ port, userName, password, keyFile, folder }: SessionDoor): Record<string, string> {
	const proof: Record<string, string> = keyFile === undefined ? { TEST_PASSWORD: password } : { TEST_KEY: keyFile };
	return { TEST_PORT: String(port), TEST_USER: userName, HOME: folder, ...proof };
}

function defineScripted({ program, options = [], script, env, ...rest }: Script): SessionClient {
	const path = fileURLToPath(new URL(script, import.meta.url));
	return {
		...rest,
		async open(door): Promise<ClientSession> {
			const run = { program, args: [...options, path], env: { ...environmentOf(door), ...env } };
			const talk = new Conversation(run, (said) => ANSWER.test(said));
			const ask = async (...words: string[]) => wordsOf(await talk.ask(words.join('\t')));
			wordsOf(await talk.answer());
			return {
				put: async (local, remote) => void (await ask('put', local, remote)),
				resume: async (local, remote) => void (await ask('resume', local, remote)),
				rename: async (from, to) => void (await ask('rename', from, to)),
				names: (folder) => ask('names', folder),
				get: async (remote, local) => void (await ask('get', remote, local)),
				end: () => talk.end(),
			};
		},
	};
}

export const netSftpForeign = defineScripted({
	name: "Perl's Net::SFTP::Foreign",
	needs: ['Net::SFTP::Foreign (libnet-sftp-foreign-perl, libio-pty-perl)'],
	program: 'perl',
	script: 'net_sftp_foreign.pl',
});

export const netSftp = defineScripted({
	name: "Ruby's net-sftp",
	needs: ['net-sftp (ruby-net-sftp, ruby-ed25519, ruby-bcrypt-pbkdf)'],
	program: 'ruby',
	script: 'net_sftp.rb',
	saysOfCodes: { failure: /failure/, 'permission-denied': /permission denied/ },
});

export const phpseclib2 = defineScripted({
	name: "PHP's phpseclib 2",
	needs: ['phpseclib 2 (php-cli, php-phpseclib)'],
	program: 'php',
	script: 'phpseclib.php',
	wantsPem: 'rsa',
	env: { TEST_PHPSECLIB: '2' },
});

export const phpseclib3 = defineScripted({
	name: "PHP's phpseclib 3",
	needs: ['phpseclib 3 (php-cli, php-phpseclib3)'],
	program: 'php',
	script: 'phpseclib.php',
	env: { TEST_PHPSECLIB: '3' },
});

export const asyncssh = defineScripted({
	name: "Python's asyncssh",
	needs: ['asyncssh (python3-asyncssh)'],
	program: PYTHON,
	script: 'asyncssh_client.py',
});

export const jsch = defineScripted({
	name: "Java's JSch",
	needs: ['JSch (default-jdk-headless, libjsch-java)'],
	program: 'java',
	options: ['-cp', JSCH],
	script: 'JschClient.java',
	// It signs with an RSA key by SHA-1 only.
	wantsPem: 'ecdsa',
});

export const gio = defineScripted({
	name: "GNOME's gio",
	needs: ['gio (libglib2.0-bin, gvfs-backends, dbus-daemon, openssh-client)'],
	// A key is taken from an agent only. This one ends with the script.
	program: 'ssh-agent',
	options: ['bash'],
	script: 'gio.sh',
	saysOfCodes: { failure: /No such file/, 'permission-denied': /Invalid reply/ },
});
