import { sealedGatewayCredentials } from '../gateway/credentials.ts';
import { sealedAttemptCredentials } from '../gateway/journal.ts';
import { sealedAnswers } from '../http/idempotency/kept-answer.ts';
import { sealedCertificateKeys } from '../identity/certificates.ts';
import type { SealedRows } from '../keys/sealed-rows.ts';
import { sealedMails } from '../mail/mail-queue.ts';
import { sealedTotpSecrets } from '../portal/factors/totp-secret.ts';
import { sealedDestinationSecrets } from '../relay/destinations.ts';
import { sealedProfileSecrets } from '../relay/profile-secrets.ts';
import { sealedRequestParts } from '../requests/sealed-part.ts';
import { sealedResults } from '../wallet/stored-result.ts';

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
];
