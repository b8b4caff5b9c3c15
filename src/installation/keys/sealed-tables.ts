import type { Knex } from 'knex';
import { type RowShape, sealedEndedRows } from '../../base/keys/rows/row-seals.ts';
import type { SealableRow } from '../../base/keys/rows/row-seals-store.ts';
import * as ofAccounts from '../../people/identity/sealed-rows.ts';
import * as ofPortalUsers from '../../people/portal-users/sealed-rows.ts';
import { cvvStore } from '../../vault/cvvs/cvv-store.ts';
import { besideCvv, sealedAssociations, sealedCvvs } from '../../vault/sealed-rows.ts';
import { sealedForms } from '../../work/cardholders/forms/form-store.ts';
import { sealedCardRequests } from '../../work/cardholders/requests/request-store.ts';
import { sealedCardViews } from '../../work/cardholders/requests/view-store.ts';
import { sealedEventEndpoints } from '../../work/events/endpoint-store.ts';
import { sealedFormatOptions } from '../../work/jobs/format-options-store.ts';
import { sealedJobs } from '../../work/jobs/job-store.ts';
import { sealedCredentials } from '../../work/payments/gateway/credentials-store.ts';
import { sealedSessions } from '../../work/payments/wallet/session-store.ts';
import { sealedPgpKeys } from '../../work/pgp/pgp-key-store.ts';
import { sealedFormatPlugins } from '../../work/plugins/plugin-store.ts';
import { sealedDestinations } from '../../work/relay/partners/destination-store.ts';
import { sealedProfiles } from '../../work/relay/profiles/profile-store.ts';
import { sealedRoutes } from '../../work/routes/route-store.ts';

/** Lists every table whose rows have a seal. A test searches for tables that this list lacks. */
export const sealedTables: readonly RowShape[] = [
	...Object.values(ofAccounts),
	sealedEndedRows,
	...[sealedSessions, sealedAssociations, sealedCvvs, sealedProfiles, sealedDestinations],
	...[sealedForms, sealedFormatOptions, sealedFormatPlugins, sealedJobs],
	...[sealedCardRequests, sealedCardViews],
	...Object.values(ofPortalUsers),
	...[sealedCredentials, sealedRoutes, sealedPgpKeys, sealedEventEndpoints],
];

/** Returns the text that the seal of a row covers in addition to its columns, or undefined if there is none. */
export async function besideOf(knex: Knex, shape: RowShape, row: SealableRow): Promise<string | undefined> {
	if (shape !== sealedCvvs) return undefined;
	return besideCvv(await cvvStore(knex, 'sqlite').listDestinations(row.page_id, row.slot));
}
