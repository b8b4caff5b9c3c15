import type { SealedRows } from '../../base/keys/rows/sealed-rows.ts';
import { sealedMails } from '../../base/mail/mail-queue.ts';
import { sealedAnswers } from '../../doors/http/idempotency/kept-answer.ts';
import { sealedCertificateKeys } from '../../people/identity/credentials/certificates.ts';
import { sealedTotpSecrets } from '../../people/portal-users/factors/totp.ts';
import { sealedRequestParts } from '../../work/cardholders/requests/request-store.ts';
import { sealedEventSecrets } from '../../work/events/endpoint-store.ts';
import { sealedGatewayCredentials } from '../../work/payments/gateway/credentials.ts';
import { sealedAttemptCredentials } from '../../work/payments/gateway/journal.ts';
import { sealedResults } from '../../work/payments/wallet/stored-result.ts';
import { sealedPgpSecrets } from '../../work/pgp/pgp-key-store.ts';
import { sealedDestinationSecrets } from '../../work/relay/partners/destinations.ts';
import { sealedProfileSecrets } from '../../work/relay/profiles/profile-secrets.ts';

/** Lists every table with secrets under the `secret` key. A test searches for tables that this list lacks. */
export const sealedSecrets: readonly SealedRows[] = [
	sealedCertificateKeys,
	sealedProfileSecrets,
	sealedDestinationSecrets,
	sealedGatewayCredentials,
	sealedAttemptCredentials,
	sealedAnswers,
	sealedResults,
	sealedMails,
	sealedRequestParts,
	sealedTotpSecrets,
	sealedPgpSecrets,
	sealedEventSecrets,
];
