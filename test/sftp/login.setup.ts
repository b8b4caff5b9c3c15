// What login.test.ts and login.slow.test.ts share.

import type { AuthContext } from 'ssh2';
import type { SftpIdentity } from '../../src/doors/sftp/identity.ts';
import { Login } from '../../src/doors/sftp/ssh/login.ts';

export const slowMs = 120;
export const delayMs = 200;

export function start(options: { admit?: boolean; maxLoginTries?: number; mayTry?: boolean } = {}) {
	const seen = { wrong: 0, tooMany: 0, noSpace: 0, asked: 0, lines: [] as object[], refusals: [] as string[] };
	const identity: SftpIdentity<string> = {
		async byPassword({ userName, password }) {
			seen.asked += 1;
			// This is like a look-up that takes longer for users that exist.
			if (userName === 'demo') await new Promise((resolve) => setTimeout(resolve, slowMs));
			return password === 'right' ? userName : null;
		},
		byPublicKey: async () => null,
		noteLogin: async () => {},
		noteRefusal: ({ reason }) => void seen.refusals.push(reason),
	};
	const log = (fields: object, message: string) => void seen.lines.push({ ...fields, message });
	const login = new Login<string>({
		identity,
		address: '192.0.2.1',
		sessionId: 'session-1',
		limits: { maxLoginTries: options.maxLoginTries ?? 6, failedLoginDelayMs: delayMs },
		logger: { debug: log, info: log, warn: log, error: log },
		isClosed: () => false,
		admit: async () => options.admit ?? true,
		logins: {
			mayTry: () => options.mayTry ?? true,
			failed: () => void (seen.wrong += 1),
			succeeded: () => {},
			isShutOut: () => false,
		},
		onTooManySessions: () => void (seen.noSpace += 1),
		onTooManyTries: () => void (seen.tooMany += 1),
		onNotNoted: () => {},
	});
	return { login, seen };
}

export function attempt(fields: object) {
	const answers: string[] = [];
	const context = {
		method: 'password',
		username: 'demo',
		accept: () => answers.push('accepted'),
		reject: (methods: string[]) => answers.push(`rejected ${methods}`),
		...fields,
	} as unknown as AuthContext;
	return { context, answers };
}

export const refusal = ['rejected publickey,password'];
