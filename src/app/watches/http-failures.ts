import type { TriedLogin } from '../../doors/http/access/login-limiter.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { credentialOf } from '../../people/identity/principal.ts';
import type { FailedLogins } from '../../trail/failed-logins.ts';

/** Records failed HTTP logins in the trail. A request without any credential is not a login. */
export function httpFailures(
	{ findApiKeyOf }: Pick<Identity, 'findApiKeyOf'>,
	failedLogins: Pick<FailedLogins, 'note'>,
): (address: string, tried: TriedLogin) => void {
	return (address, { kind, secret }) =>
		failedLogins.note({
			door: 'http',
			address,
			method: kind,
			reason: 'wrong credential',
			async describe() {
				const found = secret === undefined ? undefined : await findApiKeyOf(secret);
				return { userId: found?.userId, credential: credentialOf({ apiKeyId: found?.apiKeyId }) };
			},
		});
}
