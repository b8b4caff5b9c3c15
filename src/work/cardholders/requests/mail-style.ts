// Manages the style of an account's mails: their look and their sender.

import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput } from '../../../base/errors.ts';
import { MAIL_ADDRESS } from '../../../base/settings/card-page-keys.ts';
import type { Owner } from '../../../people/identity/principal.ts';
import type { Audit } from '../../../trail/audit.ts';
import { type MailStyleRow, mailStyleStore } from './mail-style-store.ts';

/** The look and the sender of an account's mails. Absent members have the values of the settings. */
export interface MailStyle {
	readonly fromName?: string;
	readonly fromAddress?: string;
	readonly replyTo?: string;
	/** An `https:` URL from which mail programs load the logo. */
	readonly logoUrl?: string;
	/** The colour of the button, such as `#0a5cff`. */
	readonly colour?: string;
}

const MAX_NAME_CHARACTERS = 100;
const MAX_URL_CHARACTERS = 500;

export type MailStyles = ReturnType<typeof openMailStyles>;

/** The database must be migrated. Every change of a style is recorded in the trail in the same transaction. */
export function openMailStyles(options: {
	readonly database: Database;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
}) {
	const { database, audit, clock } = options;
	const subject = ({ userId }: Owner) => `account ${userId}`;
	return {
		/** Returns the style of an account, which is empty if none was set. */
		async find(accountId: AccountId): Promise<MailStyle> {
			const row = await mailStyleStore(database.knex).find(accountId);
			return row ? styleOf(row) : {};
		},
		/**
		 * Sets a style in place of the earlier one.
		 * @throws ServiceError if a part of it is not valid
		 */
		async set(owner: Owner, style: MailStyle, actor: string): Promise<void> {
			checkStyle(style);
			const row: MailStyleRow = {
				account_id: owner.accountId,
				from_name: style.fromName ?? null,
				from_address: style.fromAddress ?? null,
				reply_to: style.replyTo ?? null,
				logo_url: style.logoUrl ?? null,
				colour: style.colour ?? null,
				updated_at: clock.now().getTime(),
			};
			await transact(database, async (transaction) => {
				await mailStyleStore(transaction).put(row);
				const details = { ...style };
				await audit.record({ actor, action: 'mail-style.set', subject: subject(owner), details }, transaction);
			});
		},
		async remove(owner: Owner, actor: string): Promise<boolean> {
			return transact(database, async (transaction) => {
				if (!(await mailStyleStore(transaction).remove(owner.accountId))) return false;
				await audit.record({ actor, action: 'mail-style.remove', subject: subject(owner) }, transaction);
				return true;
			});
		},
	};
}

function styleOf(row: MailStyleRow): MailStyle {
	return {
		...(row.from_name !== null && { fromName: row.from_name }),
		...(row.from_address !== null && { fromAddress: row.from_address }),
		...(row.reply_to !== null && { replyTo: row.reply_to }),
		...(row.logo_url !== null && { logoUrl: row.logo_url }),
		...(row.colour !== null && { colour: row.colour }),
	};
}

function checkStyle({ fromName, fromAddress, replyTo, logoUrl, colour }: MailStyle): void {
	if (fromName !== undefined && (fromName.length > MAX_NAME_CHARACTERS || /[\p{Cc}<>"@]/u.test(fromName))) {
		throw badInput(
			'fromName',
			`expected at most ${MAX_NAME_CHARACTERS} characters without < > " @ and control characters`,
		);
	}
	for (const [field, address] of Object.entries({ fromAddress, replyTo })) {
		if (address !== undefined && !MAIL_ADDRESS.test(address)) throw badInput(field, 'expected a mail address');
	}
	if (logoUrl !== undefined && !isLogoUrl(logoUrl)) {
		throw badInput(
			'logoUrl',
			`expected an address with https: and without a user name, at most ${MAX_URL_CHARACTERS} characters`,
		);
	}
	if (colour !== undefined && !/^#[0-9a-f]{6}$/i.test(colour))
		throw badInput('colour', 'expected a colour like #0a5cff');
}

function isLogoUrl(text: string): boolean {
	if (text.length > MAX_URL_CHARACTERS || !URL.canParse(text)) return false;
	const { protocol, username, password } = new URL(text);
	return protocol === 'https:' && username === '' && password === '';
}
