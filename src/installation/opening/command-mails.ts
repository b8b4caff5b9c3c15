import { systemClock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Logger } from '../../base/log/log.ts';
import { type MailQueue, openMailQueue } from '../../base/mail/mail-queue.ts';
import type { Settings } from '../../base/settings/settings.ts';

/** Opens the queue of mails for a command, which can only add mails. A daemon sends them within a minute. */
export function openCommandMails(
	{ database, keyRing }: { database: Database; keyRing: KeyRing },
	{ mail }: Pick<Settings, 'mail'>,
	logger: Logger,
): Pick<MailQueue, 'isOpen' | 'prepare' | 'wake'> {
	const queue = openMailQueue({ database, keyRing, clock: systemClock, logger, sender: undefined, limits: mail });
	return { isOpen: mail.host !== null, prepare: queue.prepare, wake() {} };
}
