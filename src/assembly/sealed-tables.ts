import type { Knex } from 'knex';
import { sealedForms } from '../forms/sealed-rows.ts';
import {
	sealedAccounts,
	sealedApiKeys,
	sealedOrigins,
	sealedSessionTokens,
	sealedSshKeys,
} from '../identity/sealed-rows.ts';
import { sealedFormatOptions, sealedJobs } from '../jobs/sealed-rows.ts';
import { type RowShape, sealedEndedRows } from '../keys/row-seals.ts';
import type { SealableRow } from '../keys/row-seals-store.ts';
import { sealedTableNames } from '../keys/sealed-tables.ts';
import {
	sealedPortalLinks,
	sealedPortalPasskeys,
	sealedPortalRecoveryCodes,
	sealedPortalSessions,
	sealedPortalUsers,
} from '../portal/sealed-rows.ts';
import { sealedDestinations, sealedProfiles } from '../relay/sealed-rows.ts';
import { sealedCardRequests, sealedCardViews } from '../requests/sealed-rows.ts';
import { cvvStore } from '../vault/cvv-store.ts';
import { besideCvv, sealedAssociations, sealedCvvs } from '../vault/sealed-rows.ts';
import { sealedSessions } from '../wallet/sealed-rows.ts';
import { sealedFormerEnds } from './former-ends.ts';

/** Lists every table whose rows have a seal. A test searches for tables that this list lacks. */
export const sealedTables: readonly RowShape[] = [
	...[sealedAccounts, sealedApiKeys, sealedSshKeys, sealedSessionTokens, sealedOrigins, sealedEndedRows],
	sealedFormerEnds,
	...[sealedSessions, sealedAssociations, sealedCvvs, sealedProfiles, sealedDestinations],
	...[sealedForms, sealedFormatOptions, sealedJobs, sealedTableNames],
	...[sealedCardRequests, sealedCardViews],
	...[sealedPortalUsers, sealedPortalLinks, sealedPortalPasskeys, sealedPortalRecoveryCodes, sealedPortalSessions],
];

/** Returns the text that the seal of a row covers in addition to its columns, or undefined if there is none. */
export async function besideOf(knex: Knex, shape: RowShape, row: SealableRow): Promise<string | undefined> {
	if (shape !== sealedCvvs) return undefined;
	return besideCvv(await cvvStore(knex, 'sqlite').listDestinations(row.page_id, row.slot));
}
