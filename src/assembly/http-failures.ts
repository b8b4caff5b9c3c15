import type { FailedLogins } from '../audit/failed-logins.ts';
import type { TriedLogin } from '../http/access/login-limiter.ts';
import type { Identity } from '../identity/identity.ts';
import { credentialOf } from '../identity/principal.ts';

/** Failed logins over HTTP for the trail; a request without any credential has tried none. */
export function httpFailures(
	{ findApiKeyId }: Pick<Identity, 'findApiKeyId'>,
	failedLogins: Pick<FailedLogins, 'note'>,
): (address: string, tried: TriedLogin) => void {
	return (address, { kind, secret }) =>
		failedLogins.note({
			...{ door: 'http', address, method: kind, reason: 'wrong credential' },
			async describe() {
				const apiKeyId = secret === undefined ? undefined : await findApiKeyId(secret);
				return { credential: credentialOf({ apiKeyId }) };
			},
		});
}
