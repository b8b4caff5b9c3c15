import { keys } from './0001-keys.ts';
import { identity } from './0002-identity.ts';
import { vault } from './0003-vault.ts';
import { drops } from './0004-drops.ts';
import { jobs } from './0005-jobs.ts';
import { audit } from './0006-audit.ts';
import { formatOptions } from './0007-format-options.ts';
import { pageKinds } from './0008-page-kinds.ts';
import { idempotency } from './0009-idempotency.ts';
import { relayProfiles } from './0010-relay-profiles.ts';
import { destinations } from './0011-destinations.ts';
import { gateway } from './0012-gateway.ts';
import { wallet } from './0013-wallet.ts';
import { defender } from './0014-defender.ts';
import { keyBridges } from './0015-key-bridges.ts';
import { idempotentEffects } from './0016-idempotent-effects.ts';
import { names } from './0017-names.ts';
import { otherNumbers } from './0018-other-numbers.ts';
import { elimination } from './0019-elimination.ts';
import { callOutcomes } from './0020-call-outcomes.ts';
import { writeChecks } from './0021-write-checks.ts';
import { auditNotes } from './0022-audit-notes.ts';
import { rowSeals } from './0024-row-seals.ts';
import { keyPeriods } from './0025-key-periods.ts';
import { smallAttempts } from './0027-small-attempts.ts';
import { credentialLimits } from './0028-credential-limits.ts';
import { retention } from './0029-retention.ts';
import { operators } from './0030-operators.ts';
import { jobHistory } from './0033-job-history.ts';
import { accountEnds } from './0034-account-ends.ts';
import { callLog } from './0035-call-log.ts';
import { allowedAddresses } from './0036-allowed-addresses.ts';
import { optionSeals } from './0037-option-seals.ts';
import { keyGenerations } from './0039-key-generations.ts';
import { auditForwards } from './0040-audit-forwards.ts';
import { lonePasses } from './0043-lone-passes.ts';
import { smallBlobs } from './0044-small-blobs.ts';
import { origins } from './0045-origins.ts';
import { cardForms } from './0046-card-forms.ts';
import { cardRequests } from './0047-card-requests.ts';
import { cardViews } from './0048-card-views.ts';
import { mails } from './0049-mails.ts';
import { formStyles } from './0050-form-styles.ts';
import { portalUsers } from './0051-portal-users.ts';
import { portalFactors } from './0052-portal-factors.ts';
import { portalSessions } from './0053-portal-sessions.ts';
import { portalLogins } from './0054-portal-logins.ts';
import { statistics } from './0055-statistics.ts';
import { auditChecks } from './0056-audit-checks.ts';
import { pagesByTime } from './0057-pages-by-time.ts';
import { listsByState } from './0058-lists-by-state.ts';
import { portalJobs } from './0059-portal-jobs.ts';
import { formResults } from './0061-form-results.ts';
import { attemptPasses } from './0062-attempt-passes.ts';
import { crashes } from './0063-crashes.ts';
import { missingBytes } from './0064-missing-bytes.ts';
import { endedRows } from './0065-ended-rows.ts';
import { mailCounts } from './0066-mail-counts.ts';
import { sealedSecretRows } from './0067-sealed-secrets.ts';
import type { Migration } from './migration.ts';

/** Lists every migration in the order in which they are applied. */
export const migrations: Migration[] = [
	keys,
	identity,
	vault,
	drops,
	jobs,
	audit,
	formatOptions,
	pageKinds,
	idempotency,
	relayProfiles,
	destinations,
	gateway,
	wallet,
	defender,
	keyBridges,
	idempotentEffects,
	names,
	otherNumbers,
	elimination,
	writeChecks,
	auditNotes,
	rowSeals,
	keyPeriods,
	smallAttempts,
	credentialLimits,
	retention,
	operators,
	jobHistory,
	accountEnds,
	callLog,
	allowedAddresses,
	optionSeals,
	keyGenerations,
	auditForwards,
	lonePasses,
	callOutcomes,
	smallBlobs,
	origins,
	cardForms,
	cardRequests,
	cardViews,
	mails,
	formStyles,
	portalUsers,
	portalFactors,
	portalSessions,
	portalLogins,
	statistics,
	auditChecks,
	pagesByTime,
	listsByState,
	portalJobs,
	formResults,
	attemptPasses,
	crashes,
	missingBytes,
	endedRows,
	mailCounts,
	sealedSecretRows,
];
