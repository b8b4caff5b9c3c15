// Notes at a card request what became of its mail.

import type { OnMailSettled } from '../mail/mail-queue.ts';
import { requestStore } from './request-store.ts';

const PREFIX = 'card-request ';

/** Returns how mails and the audit trail name a card request. */
export function aboutRequest(id: string): string {
	return `${PREFIX}${id}`;
}

/**
 * Moves a request on when its mail was sent or given up. A reminder changes nothing, because its request has left the
 * state that is expected here.
 */
export const noteMail: OnMailSettled = async (about, outcome, transaction) => {
	if (!about.startsWith(PREFIX)) return;
	const state = outcome === 'sent' ? 'MessageSent' : 'MessageFailed';
	await requestStore(transaction).move(about.slice(PREFIX.length), ['MessageQueued'], state);
};
