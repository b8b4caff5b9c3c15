// Remembers logins that were checked a moment ago. A merchant uses one key all day. If every request read and checked
// everything that the seals of this key cover, that would cost more than the rest of the login.

import type { RowVersion } from '../../../base/keys/rows/row-seals.ts';
import type { SealedColumns } from './credential-guard.ts';

interface Checked {
	/** The content of the rows that a login depends on, as it was when the seals of these rows were checked. */
	readonly text: string;
	/** The hash by which the login was found: that of the session token, or else of the API key. */
	readonly hashes: readonly string[];
	readonly versions: readonly RowVersion[];
	readonly at: number;
}

const CHECKED_FOR_MS = 60_000;
const MAX_CHECKED = 10_000;

export function checkedLogins() {
	const checked = new Map<string, Checked>();
	return {
		/**
		 * Returns the versions of the rows on which a login depends if the login was checked a moment ago, its rows have not
		 * changed since, and it was found by the same hash. Otherwise returns undefined.
		 */
		find(row: SealedColumns, hashes: readonly string[] | undefined): readonly RowVersion[] | undefined {
			const known = checked.get(nameOf(row));
			if (!known || Date.now() - known.at > CHECKED_FOR_MS || known.text !== textOf(row)) return undefined;
			// The hash is compared too: a person who writes their own hash into another's row would otherwise be let in by
			// that row's valid seals.
			return hashes === undefined || known.hashes.some((each) => hashes.includes(each)) ? known.versions : undefined;
		},
		add(row: SealedColumns, rowHashes: readonly string[], versions: readonly RowVersion[]): void {
			if (checked.size >= MAX_CHECKED) checked.clear();
			checked.set(nameOf(row), { text: textOf(row), hashes: rowHashes, versions, at: Date.now() });
		},
	};
}

/** Joins the seals of the rows that a login depends on into one text. */
function nameOf({ c__seal, a__seal, o__seal, s__seal }: SealedColumns): string {
	return [c__seal, a__seal, o__seal, s__seal].map((seal?: Buffer | null) => seal?.toString('latin1') ?? '').join('|');
}

/** Hash and key id are left out, because both change when a key that was found under an older hash is hashed again. */
export function textOf(row: SealedColumns): string {
	return JSON.stringify([
		...[row.api_key_id, row.c__account_id, row.account_id, row.user_id, row.kind, row.parent_id, row.cvv_retention],
		...[row.owner_cvv_retention, row.permissions, row.ends_at, row.revoked_at, row.expires_at],
		...[row.valid_until, row.from_ranges, row.disabled_at, row.owner_disabled_at],
	]);
}
