import type { ExportedEntry } from '../checks/exported-form.ts';

/** The port to a system that receives the trail as it grows. */
export interface TrailTarget {
	readonly kind: 'syslog' | 'webhook';
	/** The address of the system, without anything secret. A new address gets the whole trail. */
	readonly address: string;
	/**
	 * Sends entries, and resolves when the target has all of them. After a failure they have to be sent again.
	 * @throws the reason for a failure
	 */
	send(entries: readonly ExportedEntry[]): Promise<void>;
}

/** A target that needs more time than this for a batch of entries has failed to receive it. */
export const SEND_TIMEOUT_MS = 20_000;
