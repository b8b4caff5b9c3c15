import type { Knex } from 'knex';
import type { Dialect } from '../../../base/database/dialect.ts';
import { queryRows } from '../../../base/database/sql.ts';
import type { RowShape } from '../../../base/keys/rows/row-seals.ts';
import type { GuardedRows, SealedColumns } from '../credentials/credential-guard.ts';
import { columnsOf, sealedAccounts, sealedApiKeys, sealedSshKeys } from '../sealed-rows.ts';

/** Holds the current state of a credential. A credential that no longer exists has no row. */
export interface StandingRow extends SealedColumns {
	readonly kind: 'api-key' | 'ssh-key';
	readonly id: number;
	readonly permissions: string;
	readonly ends_at: number | null;
	readonly revoked_at: number | null;
	readonly valid_until: number | null;
	readonly from_ranges: string | null;
	readonly disabled_at: number | null;
	readonly owner_disabled_at: number | null;
	readonly blocked_at: number | null;
	readonly owner_blocked_at: number | null;
	readonly isAltered?: boolean;
}

const WITH_ACCOUNT = `
	join accounts account on account.id = credential.account_id
	left join accounts owner on owner.id = account.parent_id`;
const BLOCKS =
	'account.blocked_at, owner.blocked_at as owner_blocked_at, account.disabled_at, owner.disabled_at as owner_disabled_at';
/** The columns of seals, and the seals themselves, are queried under names with these prefixes, one for each table. */
const GUARDED = { account: 'a__', owner: 'o__', credential: 'c__' } as const;
const GUARDED_ACCOUNTS = [
	...columnsOf(sealedAccounts, 'account', GUARDED.account),
	...columnsOf(sealedAccounts, 'owner', GUARDED.owner),
].join(', ');
const GUARDED_API_KEY = `${columnsOf(sealedApiKeys, 'credential', GUARDED.credential).join(', ')}, ${GUARDED_ACCOUNTS}`;
const GUARDED_SSH_KEY = `${columnsOf(sealedSshKeys, 'credential', GUARDED.credential).join(', ')}, ${GUARDED_ACCOUNTS}`;

export function standingStore(knex: Knex, dialect: Dialect) {
	const isAsked = dialect === 'postgres' ? '= any(?)' : 'in (select value from json_each(?))';
	const idsOf = (ids: readonly number[]) => (dialect === 'postgres' ? ids : JSON.stringify(ids)) as never;
	return {
		/** Finds the state of credentials with one query for API keys and one for SSH keys, however many there are. */
		async find(apiKeyIds: readonly number[], sshKeyIds: readonly number[]): Promise<StandingRow[]> {
			const rows: StandingRow[] = [];
			if (apiKeyIds.length > 0) {
				const answer = await queryRows<StandingRow>(
					knex,
					`select 'api-key' as kind, credential.id, credential.permissions, ends_at, revoked_at,
						valid_until, from_ranges, ${BLOCKS}, ${GUARDED_API_KEY}
					from api_keys credential ${WITH_ACCOUNT} where credential.id ${isAsked}`,
					[idsOf(apiKeyIds)],
				);
				rows.push(...answer);
			}
			if (sshKeyIds.length > 0) {
				const answer = await queryRows<StandingRow>(
					knex,
					`select 'ssh-key' as kind, credential.id, credential.permissions, null as ends_at, null as revoked_at,
						null as valid_until, from_ranges, ${BLOCKS},
					${GUARDED_SSH_KEY} from ssh_keys credential ${WITH_ACCOUNT} where credential.id ${isAsked}`,
					[idsOf(sshKeyIds)],
				);
				rows.push(...answer);
			}
			return rows;
		},
	};
}

/** Returns the rows that a credential depends on, in the form in which the credential guard checks them. */
export function standingRows(row: StandingRow): GuardedRows {
	const credential = row.kind === 'api-key' ? sealedApiKeys : sealedSshKeys;
	return {
		credential: rowOf(credential, row, GUARDED.credential),
		account: rowOf(sealedAccounts, row, GUARDED.account),
		owner: rowOf(sealedAccounts, row, GUARDED.owner),
	};
}

function rowOf({ id, columns }: RowShape, row: StandingRow, prefix: string): SealedColumns {
	return Object.fromEntries([...id, ...columns, 'seal_key', 'seal'].map((name) => [name, row[prefix + name]]));
}
