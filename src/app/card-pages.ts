// Opens everything that reaches people outside: mails, card requests and pages that show cards.

import { readFileSync } from 'node:fs';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../base/database/open.ts';
import type { KeyRing } from '../base/keys/key-ring.ts';
import type { Logger } from '../base/log/log.ts';
import { type MailSender, openMail } from '../base/mail/mail.ts';
import type { MailLimit } from '../base/mail/mail-limits.ts';
import { openMailQueue } from '../base/mail/mail-queue.ts';
import { Secret } from '../base/settings/secret.ts';
import type { Settings } from '../base/settings/settings.ts';
import type { Identity } from '../people/identity/identity.ts';
import type { Audit } from '../trail/audit.ts';
import type { Vault } from '../vault/vault.ts';
import { openCardRequests } from '../work/cardholders/requests/card-requests.ts';
import { openCardViews } from '../work/cardholders/requests/card-views.ts';
import { openMailStyles } from '../work/cardholders/requests/mail-style.ts';
import { noteMail } from '../work/cardholders/requests/note-mail.ts';

export interface CardPagesOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Identity;
	readonly audit: Audit;
	readonly vault: Vault;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly onMailLimited?: (limit: MailLimit) => void;
}

export type CardPages = ReturnType<typeof openCardPages>;

/**
 * Opens the mail queue, card requests and card views.
 * @throws Error if a file named in the settings of the mail server cannot be read
 */
export function openCardPages(
	options: CardPagesOptions,
	{ mail, cardRequests, cardDisplay }: Pick<Settings, 'mail' | 'cardRequests' | 'cardDisplay'>,
) {
	const mails = openMailQueue({
		...options,
		sender: openSender(mail),
		onSettled: noteMail,
		limits: mail,
		onLimited: options.onMailLimited,
	});
	const shared = { ...options, mails, mailStyles: openMailStyles(options) };
	const mailFrom = mail.from ?? undefined;
	return {
		mails,
		cardRequests: openCardRequests({ ...shared, settings: { ...cardRequests, mailFrom } }),
		cardViews: openCardViews({ ...shared, settings: { ...cardDisplay, mailFrom } }),
		/** Waits for mails that are being sent. */
		close: () => mails.close(),
	};
}

function openSender({ host, port, tls, user, passwordFile, caFile }: Settings['mail']): MailSender | undefined {
	if (host === null) return undefined;
	const password =
		passwordFile === null ? undefined : new Secret(read('passwordFile', passwordFile).replace(/\r?\n$/, ''));
	const ca = caFile === null ? undefined : read('caFile', caFile);
	return openMail({ host, port, tls, user: user ?? undefined, password, ca });
}

function read(name: string, path: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch (cause) {
		throw new Error(`mail.${name}: ${path} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
	}
}
