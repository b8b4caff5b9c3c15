// A partner of the demonstration: a server for sFTP with the folders `out` and `in`, which a route collects from and
// delivers to.

import { randomBytes } from 'node:crypto';
import { systemClock } from '../../base/clock.ts';
import { defaultDefenderSettings, openDefender } from '../../base/defender/defender.ts';
import { openLoginGuard } from '../../base/defender/login-guard.ts';
import { defaultSftpLimits } from '../../doors/sftp/limits.ts';
import { openSftpServer } from '../../doors/sftp/server.ts';
import { generateEd25519Key } from '../../doors/sftp/ssh/host-keys.ts';
import { MemoryTree } from './memory-tree.ts';

export interface DemoPartner {
	readonly port: number;
	readonly userName: string;
	readonly password: string;
	/** The fingerprint of its key, as `SHA256:…`. */
	readonly hostKey: string;
	readonly tree: MemoryTree;
	close(): Promise<void>;
}

/** Starts the partner on a free port of this machine. Its files are in memory, and its password is a new one. */
export async function openDemoPartner(): Promise<DemoPartner> {
	const tree = new MemoryTree(['/out', '/in']);
	const [userName, password] = ['partner', randomBytes(16).toString('hex')];
	const defender = openDefender(systemClock, defaultDefenderSettings);
	const ignore = () => {};
	const server = await openSftpServer<string>({
		host: '127.0.0.1',
		port: 0,
		hostKeys: [generateEd25519Key()],
		identity: {
			byPassword: async (given) => (given.userName === userName && given.password === password ? userName : null),
			byPublicKey: async () => null,
			noteLogin: async () => {},
			noteRefusal: ignore,
		},
		openTree: async () => tree,
		logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
		limits: defaultSftpLimits,
		defender,
		logins: openLoginGuard({ defender, clock: systemClock, settings: defaultDefenderSettings }),
		clock: systemClock,
	});
	const hostKey = server.fingerprints[0].split(' ')[1];
	return { port: server.port, userName, password, hostKey, tree, close: () => server.close(0) };
}
