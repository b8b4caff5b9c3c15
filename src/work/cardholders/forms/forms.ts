// Opens forms and accepts their submissions. A form stores one card. The id of a form, which only its page knows,
// authorises one submission, regardless of the credential with which the page was opened.

import type { Clock } from '../../../base/clock.ts';
import { gathered, shared } from '../../../base/database/gather.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import type { SqlTransaction } from '../../../base/database/sql.ts';
import { credentialHasher } from '../../../base/keys/credential-hash.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { Secret } from '../../../base/settings/secret.ts';
import { Turns } from '../../../base/threads/turns.ts';
import { requireEffect } from '../../../people/identity/effects.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import { makerIdOf } from '../../../people/identity/makers.ts';
import { requirePermission } from '../../../people/identity/permissions.ts';
import { actorOf, type Principal, storedBy } from '../../../people/identity/principal.ts';
import type { StoreRequest, WrittenTogether } from '../../../vault/cards/new-card.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { Vault } from '../../../vault/vault.ts';
import { readCardFields, readCvvText } from './card-fields.ts';
import { AlreadyStoredError, type Form, type Submission } from './form.ts';
import { keyOf, makeFormId } from './form-id.ts';
import type { CardFormOptions, FormOptions } from './form-options.ts';
import { completeForms, type FoundForm, formStore, sealedForms } from './form-store.ts';
import type { FieldProblems, TypedFields } from './judge-fields.ts';
import { OpenedForms, type ReadForm } from './opened-forms.ts';
import { brandAndCardOf, storedCard, type ToldCard, toldCard } from './stored-card.ts';

export interface FormsOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Identity;
	readonly vault: Vault;
	readonly clock: Clock;
	/** The minutes for which a form can be submitted after it was opened. */
	readonly openMinutes: number;
}

/**
 * Is called with a card request before the card that answers it is stored. The function that it returns is called in the
 * transaction that stores the card.
 */
export type OnFormStored = (requestId: string) => Promise<(token: Token, transaction: SqlTransaction) => Promise<void>>;

const MAX_ID_CHARACTERS = 128;
/** Anybody with the link of a card request opens a form by each view. Only those opened last can be submitted. */
const MAX_FORMS_OF_REQUEST = 20;
/** Results stay for this time after their form has expired, for a page that submits again for a lost answer. */
const KEPT_MS = 3_600_000;

export type Forms = ReturnType<typeof openForms>;

/** Opens the management of forms; the database must be migrated. */
export function openForms({ database, keyRing, identity, vault, clock, openMinutes }: FormsOptions) {
	const store = formStore(database.knex, database.dialect);
	const hasher = credentialHasher(keyRing);
	const opened = new OpenedForms();
	const now = () => clock.now().getTime();
	let listener: OnFormStored | undefined;
	let tellFailure: ((requestId: string) => Promise<void>) | undefined;

	// Submissions that arrive together share queries: one for all their forms, and one for the API key that opened
	// them, which is the same for most forms.
	const findRow = gathered(
		async (hashes: readonly string[]) => new Map((await store.listByHash(hashes)).map((row) => [row.hash, row])),
	);
	const findPrincipal = shared((text: string) => {
		const [makerId, accountId] = text.split('/').map(Number);
		return identity.findMaker(makerId, accountId as AccountId);
	});
	const find = async (id: string): Promise<FoundForm | undefined> => {
		const text = id.slice(0, MAX_ID_CHARACTERS);
		const row = await hasher.find(text, async (hashes): Promise<FoundForm | undefined> => {
			const rows = await Promise.all(hashes.map(({ hash }) => findRow(keyOf(text, hash))));
			return rows.find((each) => each !== undefined);
		});
		if (!row) return undefined;
		const isIntact = await keyRing.seals.withSealer((sealer) =>
			sealer.isIntact(sealedForms, row, { isNeededOnce: true }),
		);
		return isIntact ? row : undefined;
	};

	/** Finds a form that this daemon has opened, as it was then; any other form in the database. */
	const findOpened = async (id: string): Promise<ReadForm | undefined> => opened.find(id) ?? readForm(await find(id));

	const complete = (tokens: ReadonlyMap<string, Token>, transaction: SqlTransaction) =>
		completeForms(transaction, { dialect: database.dialect, tokens, now: now() });

	/**
	 * Returns a function that records the token in the transaction that stores the card, so that only one of two
	 * submissions of a form stores a card.
	 */
	const completingOne = async ({ hash, request_id: requestId }: FoundForm) => {
		const tell = requestId === null ? undefined : await listener?.(requestId);
		return async (token: Token, transaction: SqlTransaction): Promise<void> => {
			const refused = await complete(new Map([[hash, token]]), transaction);
			if (refused.size > 0) throw new AlreadyStoredError();
			await tell?.(token, transaction);
		};
	};
	const writeTogether: WrittenTogether['write'] = (stored, transaction) =>
		complete(new Map([...stored].map(([hash, { token }]) => [hash, token])), transaction);

	/**
	 * Returns the part of a request to the vault by which the transaction that stores the card also records the result
	 * of a form. If the form answers a card request, its transaction changes that request as well. For all other forms
	 * whose cards are stored in one transaction, a single statement writes the results.
	 */
	const completing = async (row: FoundForm): Promise<Pick<StoreRequest, 'alongside' | 'together'>> => {
		if (row.request_id === null)
			return { together: { name: row.hash, write: writeTogether, refusal: () => new AlreadyStoredError() } };
		const completeOne = await completingOne(row);
		return { alongside: ({ token }, transaction) => completeOne(token, transaction) };
	};

	const storeCard = async (row: FoundForm, principal: Principal, options: CardFormOptions, typed: TypedFields) => {
		const read = readCardFields(typed, options, clock.now());
		if ('problems' in read) return read;
		const { savesCvv = true, eliminatesDuplicates, reference } = options;
		if (eliminatesDuplicates) requireEffect(principal, 'tells-known');
		const charge = await identity.allowance.charge(principal);
		try {
			const { token } = await vault.store({
				...storedBy(principal),
				door: 'form',
				card: read.card,
				cvv: principal.cvvRetention && savesCvv ? read.cvv : undefined,
				reference,
				eliminatesDuplicates,
				...(await completing(row)),
			});
			// With an earlier token comes an earlier card, whose name may be another.
			const card = eliminatesDuplicates ? undefined : toldCard(read.card);
			return { token, hasCvv: read.cvv !== undefined, card };
		} catch (error) {
			await charge.giveBack();
			throw error;
		}
	};

	const storeCvv = async (row: FoundForm, principal: Principal, token: Token, typed: TypedFields) => {
		if (!principal.cvvRetention) return undefined;
		const found = await vault.find(principal.ownerId, token);
		if (!found?.isOwner || found.record.kind !== 'card') return undefined;
		const card = brandAndCardOf(found.record);
		const problems: FieldProblems = {};
		const cvv = readCvvText(typed.cvv ?? '', card.brand, problems);
		if (!cvv) return { problems };
		const told = { actor: actorOf(principal), action: 'cvv.store', token } as const;
		const completeOne = await completingOne(row);
		const isKept = await vault.cvvs.keepByDefault(found, cvv, {
			told,
			alongside: (transaction) => completeOne(token, transaction),
		});
		return isKept ? { token, hasCvv: true, card } : undefined;
	};

	/** Adds the card, unless the form may not show it. */
	const stored = async (
		form: Form,
		{ token, hasCvv, card }: { token: Token; hasCvv: boolean; card?: ToldCard },
	): Promise<Submission> => ({
		state: 'stored',
		form,
		token,
		hasCvv,
		card: form.options.view.hidesCard ? undefined : (card ?? (await storedCard(vault, form.ownerId, token))),
	});

	const submitTo = async (
		{ row, form }: ReadForm,
		typed: TypedFields,
		address: string | undefined,
	): Promise<Submission> => {
		const { options } = form;
		if (row.expires_at <= now()) return { state: 'over', form };
		if (row.token !== null) return stored(form, { token: row.token, hasCvv: hasCvv(typed) });
		const principal = await findPrincipal(`${row.api_key_id}/${row.account_id}`);
		if (!principal) return { state: 'over', form };
		const caller = { ...principal, address };
		requirePermission(caller, row.request_id === null ? 'Tokenize' : 'CardRequest');
		const result =
			options.kind === 'card'
				? await storeCard(row, caller, options, typed)
				: await storeCvv(row, caller, options.token, typed);
		if (!result) return { state: 'over', form };
		if ('problems' in result) return { state: 'wrong', form, problems: result.problems };
		return stored(form, result);
	};
	/** Answers a submission that came too late: another daemon, or another form of the card request, has stored a card. */
	const submitAgain = async (found: ReadForm, typed: TypedFields, address: string | undefined): Promise<Submission> =>
		found.row.token === null ? { state: 'over', form: found.form } : submitTo(found, typed, address);
	const turns = submissionTurns<Submission>();

	return {
		/**
		 * Opens a form for a caller. `requestId` names the card request that it answers. Only the page of the form may know the
		 * id that is returned.
		 */
		async open(principal: Principal, options: FormOptions, requestId?: string) {
			const { accountId, ownerId } = principal;
			const text = makeFormId(now());
			const hash = keyOf(text, (await hasher.hashNew(text)).hash);
			const row = {
				hash,
				account_id: accountId,
				owner_id: ownerId,
				api_key_id: makerIdOf(principal),
				kind: options.kind,
				request_id: requestId ?? null,
				options: JSON.stringify(options),
				created_at: now(),
				expires_at: now() + openMinutes * 60_000,
			};
			const form = { accountId, ownerId, options };
			await keyRing.seals.withSealer(async (sealer) => {
				const sealed = { ...row, ...sealer.seal(sealedForms, row) };
				await store.insert(sealed);
				if (requestId !== undefined) await store.removeEarlier(accountId, requestId, MAX_FORMS_OF_REQUEST);
				opened.remember(text, { row: { ...sealed, token: null }, form }, now());
			});
			return { id: new Secret(text), form };
		},
		/**
		 * Submits the typed values. A second submission of the same form gets the result of the first one.
		 * @throws ServiceError if the card may not be stored, or cannot be stored now
		 */
		async submit(id: string, typed: TypedFields, address?: string): Promise<Submission> {
			const first = await findOpened(id);
			if (!first) return { state: 'unknown' };
			return turns(first.row.hash, async (hasWaited) => {
				try {
					const found = hasWaited ? (readForm(await find(id)) ?? first) : first;
					const submission = await submitTo(found, typed, address);
					if (submission.state !== 'wrong') opened.forget(first);
					return submission;
				} catch (error) {
					if (error instanceof AlreadyStoredError) {
						return submitAgain(readForm(await find(id)) ?? first, typed, address);
					}
					if (first.row.request_id !== null) await tellFailure?.(first.row.request_id);
					throw error;
				}
			});
		},
		/** Sets what is called for each card that answers a card request. It may refuse the card by throwing. */
		onStored(heard: OnFormStored): void {
			listener = heard;
		},
		/** Sets what is called for each card request whose valid card could not be stored. It must not throw. */
		onFailed(heard: (requestId: string) => Promise<void>): void {
			tellFailure = heard;
		},
	};
}

function readForm(row: FoundForm | undefined): ReadForm | undefined {
	if (row === undefined) return undefined;
	const options = JSON.parse(row.options) as FormOptions;
	return { row, form: { accountId: row.account_id, ownerId: row.owner_id, options } };
}

/**
 * Tells whether a repeated submission contains a CVV. The first one is assumed to have contained the same: the vault
 * cannot tell, because a CVV is not always kept.
 */
const hasCvv = ({ cvv = '' }: TypedFields): boolean => cvv !== '';

/** Removes forms that nobody can submit any more, and returns how many. */
export async function purgeForms({ database, clock }: Pick<FormsOptions, 'database' | 'clock'>): Promise<number> {
	const store = formStore(database.knex, database.dialect);
	const before = clock.now().getTime() - KEPT_MS;
	await store.removeExpiredResults(before);
	return store.removeExpired(before);
}

/**
 * Returns a function that runs the submissions of one form one after the other within this process, so that a second
 * one finds the result of the first. Submissions of different forms do not wait for each other.
 */
function submissionTurns<T>() {
	const forms = new Map<string, { readonly turns: Turns; submissions: number }>();
	return async (form: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> => {
		const own = forms.get(form) ?? { turns: new Turns(), submissions: 0 };
		forms.set(form, own);
		const hasWaited = own.submissions++ > 0;
		try {
			return await own.turns.run(() => work(hasWaited));
		} finally {
			if (--own.submissions === 0) forms.delete(form);
		}
	};
}
