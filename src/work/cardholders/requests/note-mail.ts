// Records in a card request whether its mail was sent.

import type { OnMailSettled } from '../../../base/mail/mail-queue.ts';
import { requestStore } from './request-store.ts';

const PREFIX = 'card-request ';

/** Returns the name that a card request has in the queue of mails and in the audit trail. */
export function aboutRequest(id: string): string {
	return `${PREFIX}${id}`;
}

/**
 * Changes the state of a request when its mail was sent or given up. A reminder changes nothing, because its request is
 * no longer in the state `MessageQueued`.
 */
export const noteMail: OnMailSettled = async (about, outcome, transaction) => {
	if (!about.startsWith(PREFIX)) return;
	const state = outcome === 'sent' ? 'MessageSent' : 'MessageFailed';
	await requestStore(transaction).move(about.slice(PREFIX.length), ['MessageQueued'], state);
};
