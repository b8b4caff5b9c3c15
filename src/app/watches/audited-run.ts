import { createHash } from 'node:crypto';
import type { Logger } from '../../base/log/log.ts';
import type { Audit } from '../../trail/audit.ts';
import type { AuditDetails } from '../../trail/entry.ts';
import { differingKeys, openLastSettings, type ShownSettings } from './last-settings.ts';

export interface RunSettings {
	readonly dataDir: string;
	readonly shown: ShownSettings;
	/** The settings that differ from the defaults. */
	readonly changed: ShownSettings;
	readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Records in the audit trail that a daemon starts, with the settings that differ from the defaults, and those that have
 * changed since its last start. The returned function records an orderly stop.
 */
export async function auditedRun(
	audit: Pick<Audit, 'record'>,
	daemonId: string,
	{ dataDir, shown, changed, logger }: RunSettings,
): Promise<{ close(): Promise<void> }> {
	const entry = { actor: 'daemon', subject: `daemon ${daemonId}` };
	// The daemon starts even if the settings of the last start cannot be read, for example in a folder without locks.
	const last = await openLastSettings(dataDir, shown).catch((err) => {
		logger.warn({ err }, 'the settings of the last start cannot be read or kept: their changes are not told');
		return undefined;
	});
	try {
		await audit.record({ ...entry, action: 'daemon.start', details: changed });
		const details = last?.before && changesOf(last.before, shown);
		if (details) await audit.record({ ...entry, action: 'settings.changed', details });
		// The settings are stored last: if a start dies before its entry is written, the next one reports them.
		await last?.keep(shown);
	} catch (error) {
		last?.close();
		throw error;
	}
	return {
		async close() {
			try {
				await audit.record({ ...entry, action: 'daemon.stop' });
			} finally {
				last?.close();
			}
		},
	};
}

function changesOf(before: ShownSettings, now: ShownSettings): AuditDetails | undefined {
	const keys = differingKeys(before, now);
	if (keys.length === 0) return undefined;
	const values = keys.map((key) => [key, `${shown(before[key])} -> ${shown(now[key])}`]);
	return {
		...Object.fromEntries(values),
		keys: keys.join(', '),
		digest: digestOf(now),
		digestBefore: digestOf(before),
	};
}

function shown(value: ShownSettings[string] | undefined): string {
	return value === undefined ? 'not there' : JSON.stringify(value);
}

/** A digest has letters only, because a run of digits might be taken for a card number and masked. */
function digestOf(settings: ShownSettings): string {
	const sorted = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
	const hex = createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
	return hex.replace(/[0-9]/g, (digit) => 'ghijklmnop'[Number(digit)]);
}
