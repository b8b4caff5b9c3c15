import type { RefusedLogin, SftpIdentity } from '../doors/sftp/identity.ts';
import type { Identity } from '../people/identity/identity.ts';
import { actorOf, credentialOf, type Principal } from '../people/identity/principal.ts';
import type { Audit } from '../trail/audit.ts';
import type { FailedLogins } from '../trail/failed-logins.ts';

/**
 * Checks sFTP logins against the accounts in `src/people/identity`. The audit trail records successful and failed logins, with
 * the id of the credential if it is one of ours.
 */
export function sftpIdentity(
	identity: Pick<Identity, 'sftpLogin' | 'accounts' | 'findApiKeyOf'>,
	audit: Pick<Audit, 'record'>,
	failedLogins: Pick<FailedLogins, 'note'>,
): SftpIdentity<Principal> {
	return {
		byPassword: (login) => identity.sftpLogin.byPassword(login),
		byPublicKey: (login) => identity.sftpLogin.byPublicKey(login),
		noteLogin: ({ principal, address }) =>
			audit.record({
				actor: { ...actorOf(principal), address },
				action: 'sftp.login',
				subject: `account ${principal.userId}`,
				details: { method: principal.method },
			}),
		noteRefusal({ address, method, reason, ...login }) {
			failedLogins.note({ door: 'sftp', address, method, reason, describe: () => describe(identity, login) });
		},
	};
}

/**
 * Describes a failed login. The given name is recorded only if an account has it, because people type passwords there.
 */
async function describe(
	{ accounts, findApiKeyOf }: Pick<Identity, 'accounts' | 'findApiKeyOf'>,
	{ userName, principal, password, fingerprint }: Omit<RefusedLogin<Principal>, 'address' | 'method' | 'reason'>,
) {
	const userId = principal?.userId ?? (await accounts.find(userName))?.userId;
	if (principal) return { userId, credential: credentialOf(principal) };
	// A fingerprint tells people which of their keys an account lacks, and is no secret.
	if (fingerprint !== undefined) return { userId, credential: `unknown ssh-key ${fingerprint}` };
	const found = password === undefined ? undefined : await findApiKeyOf(password);
	return { userId: userId ?? found?.userId, credential: credentialOf({ apiKeyId: found?.apiKeyId }) };
}
