import type { Audit } from '../audit/audit.ts';
import type { AuditDetails } from '../audit/entry.ts';

/**
 * Writes into the trail that a daemon starts, with the settings that are not the defaults: two starts show what was changed
 * between them. What is given back writes that it stops in an orderly way.
 */
export async function auditedRun(
	audit: Pick<Audit, 'record'>,
	daemonId: string,
	changedSettings: AuditDetails,
): Promise<{ close(): Promise<void> }> {
	const entry = { actor: 'daemon', subject: `daemon ${daemonId}` };
	await audit.record({ ...entry, action: 'daemon.start', details: changedSettings });
	return { close: () => audit.record({ ...entry, action: 'daemon.stop' }) };
}
