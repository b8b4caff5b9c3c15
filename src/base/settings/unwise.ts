// Finds settings that are valid but unwise. They stop nothing; `config check` reports them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from './settings.ts';

export interface Unwise {
	/** The key of the unwise setting, or `machine` if the machine and not a setting is the problem. */
	readonly key: string;
	readonly says: string;
}

/** Holds the facts about the machine that the checks need. Tests pass facts of their own. */
export interface Machine {
	/** The content of /proc/swaps and /proc/mounts; empty if there is none. */
	readonly swaps: string;
	readonly mounts: string;
}

const LOOPBACK = /^https?:\/\/(localhost|127\.|\[::1\])/i;
const NETWORK_FILE_SYSTEMS =
	/^(nfs\d?|cifs|smb3?|smbfs|fuse\.sshfs|fuse\.s3fs|9p|ceph|glusterfs|fuse\.glusterfs|afs|lustre)$/;
/** Matches the names of the example gateway drivers that come with Tokendrop. */
const EXAMPLE_DRIVER = /^example\b/i;

export function findUnwise(settings: Settings, machine: Machine = readMachine()): Unwise[] {
	return [...(settings.environment === 'production' ? ofProduction(settings) : []), ...ofMachine(settings, machine)];
}

function ofProduction({ baseUrl, http, gateway }: Settings): Unwise[] {
	const found: Unwise[] = [];
	if (baseUrl !== null && LOOPBACK.test(baseUrl))
		found.push({
			key: 'baseUrl',
			says: 'is an address of this machine alone; token URIs of callers elsewhere lead nowhere',
		});
	if (http.tlsCertFile === null && http.trustedProxies === null)
		found.push({
			key: 'http.tlsCertFile',
			says: 'is empty, and so is http.trustedProxies: nothing encrypts calls, or the balancer that does counts as every caller',
		});
	if (new URL(gateway.adyenBaseUrl).hostname.includes('-test.'))
		found.push({ key: 'gateway.adyenBaseUrl', says: 'is the host of Adyen for tests; payments there move no money' });
	const examples = namesIn(gateway.driversDir).filter((name) => EXAMPLE_DRIVER.test(name));
	if (examples.length > 0)
		found.push({
			key: 'gateway.driversDir',
			says: `has the example ${examples.join(', ')}, which no provider answers`,
		});
	return found;
}

function ofMachine({ dataDir }: Settings, { swaps, mounts }: Machine): Unwise[] {
	const found: Unwise[] = [];
	// The first line of /proc/swaps is a heading.
	if (swaps.trim().split('\n').length > 1)
		found.push({
			key: 'machine',
			says: 'has swap space: card numbers in memory may reach the disk; switch it off or encrypt it',
		});
	const type = fileSystemOf(dataDir, mounts);
	if (type !== undefined && NETWORK_FILE_SYSTEMS.test(type))
		found.push({ key: 'dataDir', says: `is on ${type}: locks and syncs of the database cannot be relied on there` });
	return found;
}

/** Returns the type of the file system that a path is on: the one with the longest mount point above the path. */
function fileSystemOf(path: string, mounts: string): string | undefined {
	let best = { point: '', type: undefined as string | undefined };
	for (const line of mounts.split('\n')) {
		const [, point = '', type] = line.split(' ').map((word) => word.replaceAll('\\040', ' '));
		const isUnder = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
		if (point !== '' && isUnder && point.length >= best.point.length) best = { point, type };
	}
	return best.type;
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function readMachine(): Machine {
	return { swaps: textOf('swaps'), mounts: textOf('mounts') };
}

function textOf(name: string): string {
	try {
		return readFileSync(join('/proc', name), 'utf8');
	} catch {
		return '';
	}
}
