import type { FailedLogins } from '../audit/failed-logins.ts';
import type { TriedLogin } from '../http/access/login-limiter.ts';
import type { Identity } from '../identity/identity.ts';
import { credentialOf } from '../identity/principal.ts';

/** Records failed HTTP logins in the trail. A request without any credential is not a login. */
export function httpFailures(
	{ findApiKeyOf }: Pick<Identity, 'findApiKeyOf'>,
	failedLogins: Pick<FailedLogins, 'note'>,
): (address: string, tried: TriedLogin) => void {
	return (address, { kind, secret }) =>
		failedLogins.note({
			...{ door: 'http', address, method: kind, reason: 'wrong credential' },
			async describe() {
				const found = secret === undefined ? undefined : await findApiKeyOf(secret);
				return { userId: found?.userId, credential: credentialOf({ apiKeyId: found?.apiKeyId }) };
			},
		});
}
