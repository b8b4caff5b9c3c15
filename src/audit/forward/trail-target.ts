import type { ExportedEntry } from '../exported-form.ts';

/** Where the trail is sent as it grows. */
export interface TrailTarget {
	readonly kind: 'syslog' | 'webhook';
	/** Where it is, without anything secret. An address that nothing was sent to yet gets the whole trail. */
	readonly address: string;
	/** Settles when the target has all of them; sends them again after a failure. @throws what went wrong */
	send(entries: readonly ExportedEntry[]): Promise<void>;
}

/** A target that takes longer for a batch has failed. */
export const SEND_TIMEOUT_MS = 20_000;
