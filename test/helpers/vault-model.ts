// What the vault promises (spec §2.3, §2.4, §3, shapes §2, §3, §11), as plain objects: the side of a model test that
// cannot be wrong in the same way as the real one.

export const ROLES = ['hotel', 'clerk', 'shop', 'agency'] as const;
/** Who calls: `clerk` is a sub-user of `hotel`; `hotel` and `agency` keep CVVs, `shop` does not. */
export type Role = (typeof ROLES)[number];
export type Owner = Exclude<Role, 'clerk'>;

export const ownerOf = (role: Role): Owner => (role === 'clerk' ? 'hotel' : role);
export const keepsCvv = (role: Role): boolean => role !== 'shop';

/** A card as it is sent. */
export interface CardFacts {
	readonly number: string;
	/** As it is stored and shown: what the caller said, or else the brand. */
	readonly type: string;
	readonly name: string | null;
	/** `YYYY-MM` */
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
	/** Whether it ever left: then its one use under the default policy is gone. */
	wasUsed: boolean;
	/** The digits are gone, and what is left says that the card goes with the next retention run. */
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
	/** Whether the account finds it again by its card. */
	readonly isFindable: boolean;
	cvv?: KeptCvv;
	isGone: boolean;
}

/** What a call stands to be refused with; `moreInfo` null where the cases may not be told apart. */
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

/** Everything there is and was. Rules that more than one call follows are here; the rest stands with the calls. */
export class VaultModel {
	/** In the order they were made, deleted ones among them. */
	readonly all: Kept[] = [];
	readonly now: () => number;

	constructor(now: () => number) {
		this.now = now;
	}

	find(token: string): Kept | undefined {
		return this.all.find((each) => each.token === token && !each.isGone);
	}

	/** What an account owns, oldest first. */
	listOf(role: Role, isWanted: (each: Kept) => boolean = isPayment): Kept[] {
		return this.all.filter((each) => !each.isGone && each.owner === ownerOf(role) && isWanted(each));
	}

	/** Spec §2.3: its owner and whom it is associated with. */
	mayUse(role: Role, token: string): boolean {
		const kept = this.find(token);
		return kept !== undefined && (kept.owner === ownerOf(role) || kept.merchants.has(ownerOf(role)));
	}

	/** Existence and access come before the kind (shapes §11). */
	refusesUse(role: Role, token: string, kinds: readonly Kept['kind'][] = ['card']): Refusal | undefined {
		if (!this.mayUse(role, token)) return NO_TOKEN;
		return kinds.includes(this.find(token)!.kind) ? undefined : NOT_THERE;
	}

	/** Shapes §11: only the owner. */
	refusesRule(role: Role, token: string, kinds?: readonly Kept['kind'][]): Refusal | undefined {
		return this.refusesUse(role, token, kinds) ?? (this.isOwn(role, token) ? undefined : NO_TOKEN);
	}

	isOwn(role: Role, token: string): boolean {
		return this.find(token)?.owner === ownerOf(role);
	}

	/** Spec §7.4, shapes §11: the caller's own sub-user is a 403, what it has nothing to do with a 400. */
	refusesMerchant(role: Role, merchant: Role | 'nobody' | undefined): Refusal | undefined {
		if (merchant === undefined) return undefined;
		if (merchant === 'nobody') return badInput('merchantId');
		if (merchant !== 'clerk') return undefined;
		if (ownerOf(role) !== 'hotel') return badInput('merchantId');
		const message = 'This operation is not allowed for the given entity';
		// The text of this one is fixed (spec §5.4.2).
		return { status: 403, code: -1003, message, field: 'You are not authorized to access this resource' };
	}

	isExpired(expiry: string): boolean {
		return expiry < new Date(this.now()).toISOString().slice(0, 7);
	}

	/** The oldest token the account has for a card and finds by it (spec §2.3.9); not one that retention is about to take. */
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

	/** What a call asks to stand beside a card, new or not. */
	attach(kept: Kept, beside: { reference?: string; merchant?: Role | 'nobody'; cvv?: string }): void {
		if (beside.reference) kept.references.add(beside.reference);
		if (beside.merchant) kept.merchants.add(beside.merchant as Owner);
		if (beside.cvv) kept.cvv = this.defaultCvv(beside.cvv);
	}

	/** Shapes §3: 7 days and one use. */
	private defaultCvv(digits: string): KeptCvv {
		const endsAt = this.now() + DEFAULT_CVV_MS;
		return { digits, endsAt, deletesCard: false, destinations: [], wasUsed: false, isSpent: false };
	}

	/** The CVV that is kept for a card now. */
	cvvOf(kept: Kept | undefined): KeptCvv | undefined {
		const cvv = kept?.cvv;
		return cvv && !cvv.isSpent && cvv.endsAt > this.now() ? cvv : undefined;
	}

	/** The default policy again: it never ends later than the one before (shapes §3). */
	resetPolicy(cvv: KeptCvv): void {
		cvv.endsAt = Math.min(cvv.endsAt, this.now() + DEFAULT_CVV_MS);
		cvv.deletesCard = false;
	}

	/** Shapes §3: destroyed when every quota is used. */
	settleUses(kept: Kept): void {
		const { destinations, wasUsed } = kept.cvv!;
		const isOpen = destinations.length > 0 ? destinations.some(({ used, quota }) => used < quota) : !wasUsed;
		if (!isOpen) this.spendCvv(kept);
	}

	/** The CVV goes; a card that is to go with it waits for the next retention run. */
	spendCvv(kept: Kept): void {
		if (!kept.cvv?.deletesCard) kept.cvv = undefined;
		else Object.assign(kept.cvv, { isSpent: true, destinations: [], endsAt: this.now() });
	}

	/** One use of the CVV by a call to `host`, if its policy lets it go; its digits. */
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

	/** What the retention of CVVs does. */
	retain(): void {
		for (const kept of this.all) {
			if (kept.isGone || !kept.cvv || kept.cvv.endsAt > this.now()) continue;
			if (kept.cvv.deletesCard) this.remove(kept);
			else kept.cvv = undefined;
		}
	}
}

export function isPayment({ kind }: Kept): boolean {
	return kind !== 'data-block';
}

export function isBlock({ kind }: Kept): boolean {
	return kind === 'data-block';
}
