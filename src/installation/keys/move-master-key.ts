// Moves an installation to a master key with another provider: from a file to a key service, from one service to another, or back.

import type { KeyRing } from '../../base/keys/key-ring.ts';
import { createRootKeyFile } from '../../base/keys/providers/file.ts';
import { openRootKey, type Provider, type RootKeySettings } from '../../base/keys/providers/open-root-key.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import { daemonStore } from '../daemons/daemon-store.ts';
import { isRunning, SILENT_MS } from '../daemons/heartbeat.ts';

/**
 * Puts a new environment key under the master key that the settings name for `to`, in one transaction with its entry in the trail.
 * Whenever the process dies, the database is either as before or under the new master key. If no daemon runs, the former master
 * key opens nothing from that moment.
 * @throws RootKeyError if the new master key cannot be used, or is in use already
 */
export async function moveMasterKey(
	parts: { settings: RootKeySettings; keyRing: KeyRing; audit: Audit; actor: Actor },
	to: Provider,
) {
	const { settings, keyRing, audit, actor } = parts;
	if (to === 'file') await createRootKeyFile(settings.masterKeyFile);
	const root = openRootKey(settings, to);
	const from = settings.keys.provider;
	/** Without a daemon, nothing needs the former master key until a sweep retires it. */
	let isAlone = false;
	try {
		await keyRing.rotateEnvironmentKey(
			root,
			(transaction, generation) => {
				const details = { from, to, masterKey: root.description, generation };
				return audit.record({ actor, action: 'key.move', subject: 'installation', details }, transaction);
			},
			async (transaction) => {
				const now = Date.now();
				const daemons = await daemonStore(transaction).list(now - SILENT_MS);
				isAlone = !daemons.some((daemon) => isRunning(daemon, now));
				return isAlone;
			},
		);
	} finally {
		await root.close();
	}
	return { from, to, masterKey: root.description, isFormerNeeded: !isAlone };
}
