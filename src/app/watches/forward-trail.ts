// Sends the audit trail to the systems named in the settings while a daemon runs.

import { readFileSync } from 'node:fs';
import { Secret } from '../../base/settings/secret.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { type Forwarder, openForwarder, type TrailTarget } from '../../trail/forward/forwarder.ts';
import { syslogTarget } from '../../trail/forward/syslog-target.ts';
import { webhookTarget } from '../../trail/forward/webhook-target.ts';

/**
 * Returns the systems to which the settings send the trail.
 * @throws Error if a file they need cannot be read
 */
export function trailTargets(parts: Settings['audit']): TrailTarget[] {
	const { syslogUrl, syslogCaFile, webhookUrl, webhookTokenFile } = parts;
	const targets: TrailTarget[] = [];
	if (syslogUrl !== null) {
		targets.push(syslogTarget(syslogUrl, syslogCaFile === null ? undefined : read('syslogCaFile', syslogCaFile)));
	}
	if (webhookUrl !== null) {
		const token = webhookTokenFile === null ? undefined : read('webhookTokenFile', webhookTokenFile).toString().trim();
		targets.push(webhookTarget(webhookUrl, token === undefined ? undefined : new Secret(token)));
	}
	return targets;
}

/** Opens one forwarder for each system; the caller closes them. */
export function openForwarders(
	options: Parameters<typeof openForwarder>[0],
	settings: Settings['audit'],
	daemonId: string,
): Promise<Forwarder[]> {
	return Promise.all(trailTargets(settings).map((target) => openForwarder(options, target, daemonId)));
}

function read(name: string, path: string): Buffer {
	try {
		return readFileSync(path);
	} catch (cause) {
		throw new Error(`audit.${name}: ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
	}
}
