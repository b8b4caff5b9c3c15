import type { Logger } from '../../../base/log/log.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { Standing } from '../accounts/standing.ts';
import type { Principal } from '../principal.ts';
import type { CredentialEndedError } from './ending.ts';

/** Holds the facts to report about a session or a call whose credential ended. */
export interface CutContext {
	readonly door: 'sftp' | 'http';
	readonly principal: Principal;
	readonly address: string;
	/** The id of the session or request, as other log lines have it. */
	readonly id: string;
}

/** Ends a session or a call once its credential has ended, and records the reason in the log and in the audit trail. */
export function cutAtEnd(
	standing: Standing,
	{ audit, logger }: { readonly audit: Pick<Audit, 'record'>; readonly logger: Pick<Logger, 'warn' | 'error'> },
	{ door, principal, address, id }: CutContext,
	cut: (ended: CredentialEndedError) => void,
): void {
	const { userId, method, apiKeyId, sshKeyId } = principal;
	const end = () => {
		const ended = standing.signal.reason as CredentialEndedError;
		const { why } = ended;
		cut(ended);
		logger.warn({ door, id, user: userId, address, method, why }, 'cut off: its credential ended');
		const credential = sshKeyId === undefined ? `API key ${apiKeyId}` : `SSH key ${sshKeyId}`;
		const entry = { actor: 'daemon', action: 'credential.cut', subject: `account ${userId}` };
		audit.record({ ...entry, details: { door, method, credential, address, why } }).catch((err) => {
			logger.error({ door, id, user: userId, why, err }, 'what was cut off is not in the audit trail');
		});
	};
	standing.signal.addEventListener('abort', end, { once: true });
	if (standing.signal.aborted) end();
}
