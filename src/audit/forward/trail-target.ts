import type { ExportedEntry } from '../exported-form.ts';

/** A system that receives the trail as it grows. */
export interface TrailTarget {
	readonly kind: 'syslog' | 'webhook';
	/** The address without anything secret. A new address gets the whole trail. */
	readonly address: string;
	/** Resolves when the target has all entries; after a failure, send them again. @throws what went wrong */
	send(entries: readonly ExportedEntry[]): Promise<void>;
}

/** If a target takes longer for a batch, the batch has failed. */
export const SEND_TIMEOUT_MS = 20_000;
