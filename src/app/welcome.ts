import type { Daemon } from './daemon.ts';

/** What a daemon that has started says about itself. */
export interface Welcome extends Pick<Daemon, 'baseUrl' | 'sftpPort' | 'fingerprints' | 'hasNativeBinding'> {
	/** The demo account, on the start that made it, with the key that is shown only then. */
	readonly demo: { readonly userId: string; readonly apiKey: string } | null;
	/** The link with which the manager of that account sets a password. */
	readonly portal: string | null;
}

export function welcomeOf(daemon: Daemon): Welcome {
	const { baseUrl, sftpPort, fingerprints, hasNativeBinding, demo, portalLink } = daemon;
	return {
		baseUrl,
		sftpPort,
		fingerprints,
		hasNativeBinding,
		demo: demo ? { userId: demo.account.userId, apiKey: demo.secret.reveal() } : null,
		portal: portalLink?.reveal() ?? null,
	};
}
