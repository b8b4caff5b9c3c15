// Shows cards: to the caller in a page of their own, and to one person through a link that works once. A full number is
// returned only after its entry in the audit trail is durable (shapes §5.5, §5.6).

import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { credentialHasher } from '../../../base/keys/credential-hash.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Mail } from '../../../base/mail/mail.ts';
import type { MailQueue } from '../../../base/mail/mail-queue.ts';
import { type NewEvent, recordEvents } from '../../../base/outbox/record-events.ts';
import { textsOf } from '../../../base/pages/languages/index.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import { actorOf, type Principal } from '../../../people/identity/principal.ts';
import { makeSecret } from '../../../people/portal-users/sign-in/secret-hash.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { AuditEntry } from '../../../trail/entry.ts';
import type { Resolved } from '../../../vault/cards/card-reader.ts';
import type { CvvDestination } from '../../../vault/cvvs/cvv.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { Vault } from '../../../vault/vault.ts';
import { codeText, findBySecret, isCode, makeCode } from './link-secret.ts';
import { type LetterHead, letterMail } from './mail-letter.ts';
import type { MailStyles } from './mail-style.ts';
import { type MaskedView, maskedView, usesLeft } from './shown-card.ts';
import { shownTime } from './shown-time.ts';
import { type CardViewRow, sealedCardViews, viewStore } from './view-store.ts';

/** Describes a link that shows a card once. */
export interface ViewPlan {
	readonly token: Token;
	readonly email: string | undefined;
	readonly viewerName: string | undefined;
	readonly language: string | undefined;
	readonly minutes: number | undefined;
}

/** The answer to a page that requests a card number or a CVV. */
export type Shown =
	/** `usesLeft` tells how often a CVV may still be shown. */
	| { readonly state: 'shown'; readonly digits: string; readonly card: MaskedView; readonly usesLeft?: number }
	| { readonly state: 'wrong-code'; readonly triesLeft: number }
	/** The view has ended, or there is no such view. */
	| { readonly state: 'gone' }
	/** There is no CVV, or its policy does not allow the viewer to see it. */
	| { readonly state: 'none' };

export type CardViews = ReturnType<typeof openCardViews>;

const MINUTE_MS = 60_000;
const MAX_TRIES = 5;
const LINK_PATH = '/cardview/';

/** Opens the management of card views; the database must be migrated. */
export function openCardViews(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Pick<Identity, 'byApiKeyId'>;
	readonly audit: Audit;
	readonly vault: Vault;
	readonly clock: Clock;
	readonly mails: MailQueue;
	readonly mailStyles: Pick<MailStyles, 'find'>;
	readonly settings: {
		readonly mailFrom: string | undefined;
		readonly openMinutes: number;
		readonly linkMinutes: number;
		readonly codeTo: 'caller' | 'mail';
	};
}) {
	const { database, keyRing, identity, audit, vault, clock, mails, mailStyles, settings } = options;
	const store = viewStore(database.knex);
	const hasher = credentialHasher(keyRing);
	const now = () => clock.now().getTime();

	const findRow = async (secret: string): Promise<CardViewRow | undefined> => {
		const row = await keyRing.seals.find(sealedCardViews, () =>
			findBySecret(hasher, { kind: 'cv', secret }, (hashes) => store.findByHash(hashes)),
		);
		return !row || row.ended_at !== null || row.expires_at <= now() ? undefined : row;
	};
	/** Ends a view together with an entry in the audit trail. Returns false if it has ended already. */
	const end = (row: CardViewRow, entry: AuditEntry, events: readonly NewEvent[] = []): Promise<boolean> =>
		keyRing.seals.transact(database, async (transaction, sealer) => {
			if (!(await viewStore(transaction).end(row.id, now()))) return false;
			await sealer.end(transaction, sealedCardViews, row);
			await recordEvents(transaction, events, now());
			await audit.record(entry, transaction);
			return true;
		});
	/** Returns undefined if there is no such view, or if the caller may no longer see the card. */
	const findView = async (secret: string, address?: string) => {
		const row = await findRow(secret);
		const caller = row && (await identity.byApiKeyId(Number(row.api_key_id)));
		if (caller?.accountId !== row?.account_id || !caller?.permissions.has('DisplayCard')) return undefined;
		const card = await vault.find(row!.owner_id, row!.card_token);
		if (card?.record.kind !== 'card') return undefined;
		return { row: row!, principal: { ...caller, address }, card };
	};
	const newRow = (
		{ accountId, ownerId, apiKeyId }: Principal,
		view: Pick<CardViewRow, 'id' | 'hash' | 'card_token' | 'kind' | 'shows_cvv' | 'code_hash'> & {
			readonly language: string | undefined;
			readonly minutes: number;
		},
	) => {
		if (apiKeyId === undefined) throw new Error('internal error: a view needs the API key it was made with');
		const { language = null, minutes, ...rest } = view;
		return {
			...rest,
			language,
			account_id: accountId,
			owner_id: ownerId,
			api_key_id: apiKeyId,
			tries: 0,
			created_at: now(),
			expires_at: now() + minutes * MINUTE_MS,
			ended_at: null,
		};
	};
	/** Returns the audit entry that must be durable before a card number or a CVV is shown. */
	const entryOf = (
		{ row, principal, card }: { row: CardViewRow; principal: Principal; card: Resolved },
		shown: 'number' | 'cvv',
	) => ({
		actor: actorOf(principal),
		account: card.page.account_id,
		action: 'card.display',
		subject: `token ${row.card_token}`,
		details: { view: row.id, by: row.kind === 'once' ? 'link' : 'page', shown },
	});

	return {
		/** Opens a page in which the caller sees a card, and returns the secret with which that page requests the number. */
		async openDisplay(
			principal: Principal,
			card: Resolved,
			options: { readonly token: Token; readonly showsCvv: boolean; readonly language: string | undefined },
		) {
			const { token, showsCvv, language } = options;
			const secret = makeSecret('cv');
			const { hash } = await hasher.hashNew(secret);
			const id = makeUlid(now());
			const view = {
				id,
				hash,
				card_token: token,
				kind: 'display',
				shows_cvv: showsCvv,
				code_hash: null,
			} as const;
			const row = newRow(principal, { ...view, language, minutes: settings.openMinutes });
			const shown = maskedView(card.record);
			const cvvUses = showsCvv ? usesLeft(await vault.cvvs.findPolicy(card)) : undefined;
			await store.insert({ ...row, ...(await keyRing.seals.sealer()).seal(sealedCardViews, row) });
			return { secret, card: shown, cvvUses };
		},
		/**
		 * Creates a link that shows a card once, and mails it if possible. The caller has checked the use of the token. The link
		 * and its code are each returned only if they were not mailed.
		 */
		async create(principal: Principal, plan: ViewPlan, baseUrl: string) {
			const { token, email, viewerName, language, minutes = settings.linkMinutes } = plan;
			const secret = makeSecret('cv');
			const id = makeUlid(now());
			const code = makeCode();
			const [{ hash }, { hash: code_hash }] = [await hasher.hashNew(secret), await hasher.hashNew(codeText(id, code))];
			const view = { id, hash, card_token: token, kind: 'once', shows_cvv: false, code_hash } as const;
			const row = newRow(principal, { ...view, language, minutes });
			const url = `${baseUrl}${LINK_PATH}${secret}`;
			const expiresAt = new Date(row.expires_at);
			const isMailed = mails.isOpen && settings.mailFrom !== undefined && email !== undefined;
			const isCodeMailed = isMailed && settings.codeTo === 'mail';
			const style = isMailed ? await mailStyles.find(principal.ownerId) : {};
			const putMail = isMailed ? await mails.prepare() : undefined;
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				await viewStore(transaction).insert({ ...row, ...sealer.seal(sealedCardViews, row) });
				if (putMail) {
					const to = { name: viewerName, address: email! };
					const head = { to, senderId: principal.userId, style, from: settings.mailFrom!, language };
					const { accountId, ownerId } = principal;
					const order = { accountId, ownerId, about: `card-view ${id}`, giveUpAt: expiresAt };
					await putMail({ ...order, mail: viewMail(head, { url, expiresAt }) }, transaction);
					if (isCodeMailed) await putMail({ ...order, mail: codeMail(head, code) }, transaction);
				}
				const details = { view: id, isMailed, isCodeMailed, expires: expiresAt.toISOString() };
				const entry = { actor: actorOf(principal), action: 'card-view.create', subject: `token ${token}`, details };
				await audit.record(entry, transaction);
			});
			mails.wake();
			return { id, expiresAt, url: isMailed ? undefined : url, code: isCodeMailed ? undefined : code };
		},
		/** Finds a view that has not ended. Only the page of such a view may be shown. */
		async find(secret: string) {
			const row = await findRow(secret);
			return row && { kind: row.kind, language: row.language ?? undefined, ownerId: row.owner_id };
		},
		/** A link shows the number only once; a page that the caller opened shows it any number of times. */
		async showNumber(secret: string, code: string | undefined, address?: string): Promise<Shown> {
			const view = await findView(secret, address);
			if (!view) return { state: 'gone' };
			const { row, card } = view;
			if (row.kind === 'once') {
				if (!(await store.countTry(row.id, MAX_TRIES))) return { state: 'gone' };
				if (!(await isCode(hasher, row, code ?? ''))) return refuseCode(view);
				if (!(await end(row, entryOf(view, 'number'), [openedEvent(row)]))) return { state: 'gone' };
			} else await audit.record(entryOf(view, 'number'));
			const digits = card.record.digits.toString('latin1');
			return { state: 'shown', digits, card: maskedView(card.record) };
		},
		/** Returns the CVV; each call uses up one of the uses that the CVV policy of the card allows. */
		async showCvv(secret: string, address?: string): Promise<Shown> {
			const view = await findView(secret, address);
			if (!view?.row.shows_cvv) return { state: 'gone' };
			// The use of the CVV is counted before the audit entry is written. If writing the entry fails, one use is lost,
			// but no CVV is shown without an entry.
			const cvv = await vault.cvvs.use(view.card, waysOf(view.principal, view.card));
			if (!cvv) return { state: 'none' };
			try {
				await audit.record(entryOf(view, 'cvv'));
				const left = usesLeft(await vault.cvvs.findPolicy(view.card)) ?? 0;
				const digits = cvv.digits.toString('latin1');
				return { state: 'shown', digits, card: maskedView(view.card.record), usesLeft: left };
			} finally {
				cvv.wipe();
			}
		},
		purge: () => store.removeExpired(now()),
	};

	async function refuseCode({ row, principal }: { row: CardViewRow; principal: Principal }): Promise<Shown> {
		const triesLeft = Math.max(0, MAX_TRIES - (await store.countOf(row.id)));
		if (triesLeft > 0) return { state: 'wrong-code', triesLeft };
		const details = { view: row.id, tries: MAX_TRIES };
		await end(row, {
			actor: actorOf(principal),
			action: 'card-view.lock',
			subject: `token ${row.card_token}`,
			details,
		});
		return { state: 'wrong-code', triesLeft };
	}
}

function openedEvent({ id, account_id }: CardViewRow): NewEvent {
	const accountId = Number(account_id) as CardViewRow['account_id'];
	return { type: 'card_view.opened', accountId, about: `card-view ${id}`, data: { view: id } };
}

/**
 * Returns the entry that a CVV policy must have before this user may view the CVV. A relay by the same user needs the
 * same entry (shapes §3.17).
 */
function waysOf({ accountId, ownerId, userId }: Principal, { isOwner }: Resolved): CvvDestination {
	const type = !isOwner ? 'OtherMerchant' : accountId === ownerId ? 'Owner' : 'OtherUser';
	return { type, data: userId };
}

function viewMail(head: LetterHead, { url, expiresAt }: { readonly url: string; readonly expiresAt: Date }): Mail {
	const texts = textsOf(head.language).mail;
	return letterMail(
		head,
		{
			subject: texts.viewSubject,
			before: [texts.viewText],
			button: { label: texts.viewButton, url },
			after: [texts.expires, texts.unexpected],
		},
		{ time: shownTime(expiresAt, head.language) },
	);
}

/** Returns the mail with the code of a link. The link is in another mail, so that neither of them alone shows the card. */
function codeMail(head: LetterHead, code: string): Mail {
	const texts = textsOf(head.language).mail;
	return letterMail(
		head,
		{ subject: texts.codeSubject, before: [texts.codeText], after: [texts.unexpected] },
		{ code },
	);
}
