import type { Audit } from '../audit/audit.ts';
import type { Identity } from '../identity/identity.ts';
import type { Principal } from '../identity/principal.ts';
import type { SftpIdentity } from '../sftp/identity.ts';

/** Logins over sFTP, answered by identity and written into the audit trail. A refusal says nothing of its cause. */
export function sftpIdentity(
	identity: Pick<Identity, 'sftpLogin'>,
	audit: Pick<Audit, 'record'>,
): SftpIdentity<Principal> {
	const noted = async (principal: Principal | null, address: string) => {
		if (principal) {
			await audit.record({
				actor: principal.userId,
				action: 'sftp.login',
				subject: `account ${principal.userId}`,
				details: { address, method: principal.method },
			});
		}
		return principal;
	};
	return {
		byPassword: async (login) => noted(await identity.sftpLogin.byPassword(login), login.address),
		byPublicKey: async (login) => noted(await identity.sftpLogin.byPublicKey(login), login.address),
	};
}
