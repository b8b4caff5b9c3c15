// Keeps the plugins of formats that operators have allowed. A plugin is in the database, so that every daemon of an installation
// has the same, and sealed with its SHA-256, so that nobody without keys can put another program there.

import { type Plugin, parseManifest } from '../../../formats/plugins/manifest.ts';
import { hashOf, pluginFormat } from '../../../formats/plugins/scanner.ts';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { openLanes } from '../../base/threads/lanes.ts';
import { FileError, type Format } from '../../engine/format.ts';
import type { Audit } from '../../trail/audit.ts';
import { pluginStore, sealedFormatPlugins } from './plugin-store.ts';

/** A thread has at most so many processes of plugins, each of which takes some 50 MB. */
const MOST_PROCESSES = 8;
const takeLane = openLanes(MOST_PROCESSES);

type Stored = { database: Database; keyRing: Pick<KeyRing, 'seals'> };

/** Allows a plugin in place of an earlier one of the same filter. */
export async function allowPlugin(
	{ database, keyRing, audit, clock }: Stored & { audit: Audit; clock: Clock },
	{ source, sha256, manifest }: Plugin,
	actor: string,
): Promise<void> {
	const { filter } = manifest;
	const stored = { filter, sha256, manifest: JSON.stringify(manifest), allowed_by: actor };
	await keyRing.seals.transact(database, async (transaction, sealer) => {
		const row = { ...stored, allowed_at: clock.now().getTime() };
		await pluginStore(transaction).put({ ...(await sealer.renew(transaction, sealedFormatPlugins, row)), source });
		const entry = { actor, action: 'format.allow', subject: `format ${filter}`, details: { sha256 } };
		await audit.record(entry, transaction);
	});
}

/** Removes the plugin of a filter, whose files then fail from their next one on. Returns whether there was one. */
export async function removePlugin(
	{ database, keyRing, audit }: Stored & { audit: Audit },
	filter: string,
	actor: string,
): Promise<boolean> {
	return keyRing.seals.transact(database, async (transaction, sealer) => {
		const removed = await pluginStore(transaction).remove(filter);
		if (!removed) return false;
		await sealer.end(transaction, sealedFormatPlugins, removed);
		const { sha256 } = removed;
		const entry = { actor, action: 'format.remove', subject: `format ${filter}`, details: { sha256 } };
		await audit.record(entry, transaction);
		return true;
	});
}

export async function listPlugins({ database, keyRing }: Stored) {
	const judged = await keyRing.seals.judge(sealedFormatPlugins, () => pluginStore(database.knex).list());
	return judged.map(({ row, isBroken }) => {
		const isIntact = !isBroken && hashOf(row.source) === row.sha256;
		return {
			filter: row.filter,
			// What somebody else has written there may be anything.
			title: isIntact ? parseManifest(row.manifest).title : '',
			sha256: row.sha256,
			allowedBy: row.allowed_by,
			allowedAt: new Date(row.allowed_at).toISOString(),
			isIntact,
		};
	});
}

/**
 * Opens the formats of the plugins that are allowed now. Each file asks once more whether its plugin still is, so that a plugin
 * that was removed or replaced ends at once; a new one is there for whoever opens the formats again.
 */
export async function pluginFormats({ database, keyRing }: Stored): Promise<Format[]> {
	const rows = await keyRing.seals.list(sealedFormatPlugins, () => pluginStore(database.knex).list());
	return rows
		.filter(({ source, sha256 }) => hashOf(source) === sha256)
		.map(({ filter, source, sha256, manifest }) => {
			const requireAllowed = async () => {
				const now = await keyRing.seals.find(sealedFormatPlugins, () => pluginStore(database.knex).find(filter));
				if (now?.sha256 !== sha256) throw notAllowed(filter, now !== undefined);
			};
			return pluginFormat({ source, sha256, manifest: parseManifest(manifest) }, { requireAllowed, takeLane });
		});
}

function notAllowed(plugin: string, isReplaced: boolean): FileError {
	const problem = isReplaced
		? 'another version was allowed, which a daemon reads when it starts'
		: 'it is no longer allowed';
	const fault = { code: 'plugin-failed', parameters: { plugin, problem } } as const;
	return new FileError(`the plugin of the format ${plugin} is not used: ${problem}`, { offset: 0 }, fault);
}
