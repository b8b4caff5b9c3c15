// Declares the settings of mails, card requests, the pages that show cards, and the portal.

import { z } from 'zod';
import { key, optional, PATH, whole } from './keys.ts';
import { contradiction, type SettingsProblem } from './problems.ts';

/**
 * Matches a text that can be used as a mail address: one `@`, no blanks, and nothing that could begin another header.
 */
export const MAIL_ADDRESS = /^[^\s@<>"(),;:\\[\]\p{Cc}]{1,64}@[^\s@<>"(),;:\\[\]\p{Cc}]{1,189}$/u;

export const mail = z.strictObject({
	host: optional(
		z.string().regex(/^[a-z0-9_.:-]+$/i),
		{ none: 'no mail is sent, and links are only returned' },
		'the name or address of the mail server',
		'smtp.example.com',
	),
	port: whole(1, 65_535, 'the port of the mail server', 587),
	tls: key(
		z.enum(['starttls', 'implicit', 'none']),
		'starttls, implicit or none: how the connection to the mail server is encrypted',
		'starttls',
	),
	caFile: optional(
		PATH,
		{ none: 'the certificates that Node trusts' },
		'a PEM file with the certificates to check the mail server with',
		'/etc/tokendrop/mail-ca.pem',
	),
	user: optional(
		z.string().min(1),
		{ none: 'the mail server asks for no login' },
		'the user at the mail server',
		'tokendrop',
	),
	passwordFile: optional(
		PATH,
		{ none: 'the mail server asks for no login' },
		'a file that contains only the password at the mail server, a path',
		'/run/secrets/mail_password',
	),
	from: optional(
		z.string().regex(MAIL_ADDRESS),
		{ none: 'only allowed without mail.host' },
		'the mail address that mails come from',
		'cards@example.com',
	),
	maxPerAccount: whole(1, 1_000_000, 'the mails that an account with its sub-users may cause in a day', 1000),
	maxPerRecipient: whole(1, 10_000, 'the mails that an account may cause to one recipient in a day', 30),
});

export function mailProblems({ host, from, user, passwordFile }: z.infer<typeof mail>): SettingsProblem[] {
	const problems: SettingsProblem[] = [];
	if (host !== null && from === null) {
		problems.push(contradiction('mail.from', from, 'a mail address where mail.host is set', 'cards@example.com'));
	}
	if ((user === null) !== (passwordFile === null)) {
		problems.push(contradiction('mail.user', user, 'both mail.user and mail.passwordFile, or neither'));
	}
	return problems;
}

export const cardRequests = z.strictObject({
	expirationMinutes: whole(1, 43_200, 'minutes for which the link of a card request works', 4320),
	reminderHours: optional(
		z.int().min(1).max(720),
		{ none: 'nobody is reminded' },
		'hours after which a cardholder who has not answered is reminded once, a whole number from 1 to 720',
		'24',
	),
	keptDays: whole(1, 3650, 'days that card requests are kept after their end', 90),
});

export const cardDisplay = z.strictObject({
	openMinutes: whole(1, 60, 'minutes for which a page may show its card again', 5),
	hideSeconds: whole(5, 600, 'seconds after which a page hides the card number again', 30),
	linkMinutes: whole(1, 1440, 'minutes for which the link of a one-time view works', 60),
	codeTo: key(
		z.enum(['caller', 'mail']),
		'caller or mail: whether the code of a one-time view is returned to the caller, who passes it on, or mailed like the link',
		'caller',
	),
});

export const portal = z.strictObject({
	secondFactor: optional(
		z.enum(['operators', 'managers', 'everybody']),
		{ derived: 'operators' },
		'operators, managers or everybody: who needs a second factor in the portal; managers includes operators; in production everybody but viewers needs one in any case',
		'everybody',
	),
	providersDir: optional(
		PATH,
		{ none: 'people sign in with a password or a passkey only' },
		'the directory of the OpenID providers at which people may sign in, one YAML file each, a path',
		'/etc/tokendrop/providers',
	),
	providerMinutes: whole(
		5,
		720,
		'minutes after which somebody who came by a provider has to come by it again, so that who was removed there is out here',
		60,
	),
});
