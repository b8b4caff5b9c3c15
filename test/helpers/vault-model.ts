// A model of what the vault promises (spec §2.3, §2.4, §3, shapes §2, §3, §11), made of plain objects. A test compares the
// real vault with it, because such a simple model cannot be wrong in the same way.

export const ROLES = ['hotel', 'clerk', 'shop', 'agency'] as const;
/** Who calls: `clerk` is a sub-user of `hotel`; `hotel` and `agency` keep CVVs, `shop` does not. */
export type Role = (typeof ROLES)[number];
export type Owner = Exclude<Role, 'clerk'>;

export const ownerOf = (role: Role): Owner => (role === 'clerk' ? 'hotel' : role);
export const keepsCvv = (role: Role): boolean => role !== 'shop';

/** A card as it is sent. */
export interface CardFacts {
	readonly number: string;
	/** The type as it is stored and shown: what the caller said, or else the brand. */
	readonly type: string;
	readonly name: string | null;
	/** The month of the expiry as `YYYY-MM`. */
	readonly expiry: string;
}

export interface Destination {
	readonly type: string;
	readonly data: string;
	quota: number;
	used: number;
}

export interface KeptCvv {
	readonly digits: string;
	endsAt: number;
	deletesCard: boolean;
	destinations: Destination[];
	/** Whether the CVV ever left the vault; then its one use under the default policy is gone. */
	wasUsed: boolean;
	/** Whether the digits are deleted, and all that is left says that the next retention run deletes the card. */
	isSpent: boolean;
}

export interface Kept {
	readonly token: string;
	readonly kind: 'card' | 'network-token' | 'data-block';
	readonly owner: Owner;
	readonly creator: Role;
	readonly createdAt: number;
	readonly card?: CardFacts;
	readonly payload?: string;
	readonly references: Set<string>;
	readonly merchants: Set<Owner>;
	/** Whether elimination finds the token by its card. */
	readonly isFindable: boolean;
	cvv?: KeptCvv;
	isGone: boolean;
}

/**
 * What a call has to be refused with. `moreInfo` must contain `field`, or be null if `field` is null, because the caller
 * may not tell the causes apart.
 */
export interface Refusal {
	readonly status: number;
	readonly code: number;
	readonly message: string;
	readonly field?: string | null;
}

export const NO_TOKEN: Refusal = {
	status: 401,
	code: -1003,
	message: 'You are not authorized to access this resource. Please contact customer support.',
	field: null,
};
export const NOT_THERE: Refusal = { status: 404, code: -160, message: 'Uri not found' };
export const KEEPS_NO_CVV: Refusal = {
	status: 401,
	code: -1003,
	message: 'User is not authorized to handle bank cards',
};
export const badInput = (field: string): Refusal => ({ status: 400, code: -125, message: 'Bad input data', field });
export const badParameter = (field: string): Refusal => ({
	status: 400,
	code: -125,
	message: 'Bad input parameter',
	field,
});

const DEFAULT_CVV_MS = 7 * 86_400_000;

/**
 * Holds everything that exists and existed. Rules that more than one call follows are here; the rest stands with the calls.
 */
export class VaultModel {
	/** The tokens in the order in which they were made, deleted ones among them. */
	readonly all: Kept[] = [];
	readonly now: () => number;

	constructor(now: () => number) {
		this.now = now;
	}

	find(token: string): Kept | undefined {
		return this.all.find((each) => each.token === token && !each.isGone);
	}

	/** Returns what an account owns, oldest first. */
	listOf(role: Role, isWanted: (each: Kept) => boolean = isPayment): Kept[] {
		return this.all.filter((each) => !each.isGone && each.owner === ownerOf(role) && isWanted(each));
	}

	/** Returns whether a role may use a token: only its owner may, and the accounts it is associated with (spec §2.3). */
	mayUse(role: Role, token: string): boolean {
		const kept = this.find(token);
		return kept !== undefined && (kept.owner === ownerOf(role) || kept.merchants.has(ownerOf(role)));
	}

	/** Returns why a role may not use a token. Existence and access come before the kind (shapes §11). */
	refusesUse(role: Role, token: string, kinds: readonly Kept['kind'][] = ['card']): Refusal | undefined {
		if (!this.mayUse(role, token)) return NO_TOKEN;
		return kinds.includes(this.find(token)!.kind) ? undefined : NOT_THERE;
	}

	/** Returns why a role may not change the rules of a token, which only its owner may do (shapes §11). */
	refusesRule(role: Role, token: string, kinds?: readonly Kept['kind'][]): Refusal | undefined {
		return this.refusesUse(role, token, kinds) ?? (this.isOwn(role, token) ? undefined : NO_TOKEN);
	}

	isOwn(role: Role, token: string): boolean {
		return this.find(token)?.owner === ownerOf(role);
	}

	/**
	 * Returns why a role may not name a merchant: its own sub-user is refused with 403, and an account that it has nothing to
	 * do with is refused with 400 (spec §7.4, shapes §11).
	 */
	refusesMerchant(role: Role, merchant: Role | 'nobody' | undefined): Refusal | undefined {
		if (merchant === undefined) return undefined;
		if (merchant === 'nobody') return badInput('merchantId');
		if (merchant !== 'clerk') return undefined;
		if (ownerOf(role) !== 'hotel') return badInput('merchantId');
		const message = 'This operation is not allowed for the given entity';
		// The text of this refusal is fixed (spec §5.4.2).
		return { status: 403, code: -1003, message, field: 'You are not authorized to access this resource' };
	}

	isExpired(expiry: string): boolean {
		return expiry < new Date(this.now()).toISOString().slice(0, 7);
	}

	/**
	 * Returns the oldest token by which elimination finds a card of the account (spec §2.3.9), except one that retention is
	 * about to delete.
	 */
	findDuplicate(role: Role, card: CardFacts): Kept | undefined {
		return this.listOf(role, ({ isFindable, cvv }) => isFindable && !cvv?.isSpent).find(
			({ card: known }) => known?.number === card.number && known.expiry === card.expiry,
		);
	}

	add(made: Omit<Kept, 'createdAt' | 'isGone' | 'references' | 'merchants' | 'owner'>): Kept {
		const kept: Kept = {
			...made,
			owner: ownerOf(made.creator),
			createdAt: this.now(),
			references: new Set(),
			merchants: new Set(),
			isGone: false,
		};
		this.all.push(kept);
		return kept;
	}

	/** Adds what a call asks to store beside a card, which may be new or not. */
	attach(kept: Kept, beside: { reference?: string; merchant?: Role | 'nobody'; cvv?: string }): void {
		if (beside.reference) kept.references.add(beside.reference);
		if (beside.merchant) kept.merchants.add(beside.merchant as Owner);
		if (beside.cvv) kept.cvv = this.defaultCvv(beside.cvv);
	}

	/** Returns a CVV under the default policy, which allows 7 days and one use (shapes §3). */
	private defaultCvv(digits: string): KeptCvv {
		const endsAt = this.now() + DEFAULT_CVV_MS;
		return { digits, endsAt, deletesCard: false, destinations: [], wasUsed: false, isSpent: false };
	}

	/** Returns the CVV that is kept for a card now. */
	cvvOf(kept: Kept | undefined): KeptCvv | undefined {
		const cvv = kept?.cvv;
		return cvv && !cvv.isSpent && cvv.endsAt > this.now() ? cvv : undefined;
	}

	/** Puts a CVV back under the default policy, which never ends later than the one before (shapes §3). */
	resetPolicy(cvv: KeptCvv): void {
		cvv.endsAt = Math.min(cvv.endsAt, this.now() + DEFAULT_CVV_MS);
		cvv.deletesCard = false;
	}

	/** Destroys the CVV when every quota is used (shapes §3). */
	settleUses(kept: Kept): void {
		const { destinations, wasUsed } = kept.cvv!;
		const isOpen = destinations.length > 0 ? destinations.some(({ used, quota }) => used < quota) : !wasUsed;
		if (!isOpen) this.spendCvv(kept);
	}

	/** Deletes the CVV. A card that is to be deleted with it waits for the next retention run. */
	spendCvv(kept: Kept): void {
		if (!kept.cvv?.deletesCard) kept.cvv = undefined;
		else Object.assign(kept.cvv, { isSpent: true, destinations: [], endsAt: this.now() });
	}

	/**
	 * Counts a use of the CVV by a call to `host` and returns its digits, or undefined if its policy does not allow the use.
	 */
	useCvv(role: Role, kept: Kept, host: string, nameOf: (role: Role) => string): string | undefined {
		const cvv = this.cvvOf(kept);
		if (!cvv) return undefined;
		const who = kept.owner !== ownerOf(role) ? 'OtherMerchant' : role === ownerOf(role) ? 'Owner' : 'OtherUser';
		const ways: [string, string][] = [
			['HostName', host],
			[who, nameOf(role)],
		];
		if (cvv.destinations.length > 0) {
			const counted = ways
				.flatMap(([type, data]) => [data, ''].map((named) => ({ type, named })))
				.map(({ type, named }) =>
					cvv.destinations.find((each) => each.type === type && each.data === named && each.used < each.quota),
				)
				.find(Boolean);
			if (!counted) return undefined;
			counted.used++;
		} else if (cvv.wasUsed) return undefined;
		cvv.wasUsed = true;
		this.settleUses(kept);
		return cvv.digits;
	}

	remove(kept: Kept): void {
		kept.isGone = true;
		kept.cvv = undefined;
	}

	/** Deletes the CVVs that have ended, with their cards if that was asked for, as the retention of CVVs does. */
	retain(): void {
		for (const kept of this.all) {
			if (kept.isGone || !kept.cvv || kept.cvv.endsAt > this.now()) continue;
			if (kept.cvv.deletesCard) this.remove(kept);
			else kept.cvv = undefined;
		}
	}
}

/** The kinds of record with which a payment can be made. */
export const PAYMENTS: readonly Kept['kind'][] = ['card', 'network-token'];

export function isPayment({ kind }: Kept): boolean {
	return PAYMENTS.includes(kind);
}

export function isBlock({ kind }: Kept): boolean {
	return kind === 'data-block';
}
