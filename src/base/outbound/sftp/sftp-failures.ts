// Creates the errors about a partner's server: fixed sentences that contain no text of that server.

import { ServiceError } from '../../errors.ts';
import { type FailureCode, told } from '../../failures.ts';

const SFTP_STATUS = { endOfFile: 1, noSuchFile: 2, permissionDenied: 3, failure: 4, unsupported: 8 } as const;

/** What a failure at a place is for pages, unless its thrower says it more exactly. */
const CODES = {
	host: 'partner-unreachable',
	path: 'partner-folder-refused',
	fileName: 'partner-file-refused',
} as const satisfies Record<string, FailureCode>;

/**
 * Returns the error about a partner, which names the concerned field of the request: `host`, `path` or `fileName`. The
 * cause is only for the log.
 */
export function partnerFailure(
	place: keyof typeof CODES,
	what: string,
	cause?: unknown,
	code: FailureCode = CODES[place],
): ServiceError {
	const said = { field: place, problem: what, told: told(code) };
	return new ServiceError('target-unreachable', { ...said, cause: withoutForeignText(cause) });
}

export function noPartnerFile(cause?: unknown): ServiceError {
	const said = { field: 'fileName', problem: 'the partner has no such file', told: told('partner-file-missing') };
	return new ServiceError('uri-not-found', { ...said, cause: withoutForeignText(cause) });
}

/** Returns the error for a file that changed while somebody worked with it. */
export function partnerFileChanged(during: 'read' | 'moved', cause?: unknown): ServiceError {
	return partnerFailure('fileName', `changed while it was ${during}`, cause, 'partner-file-changed');
}

/** Returns the error for a partner that does not prove to be the one that was meant. */
export function partnerUnproven(what: string, cause?: unknown): ServiceError {
	return partnerFailure('host', what, cause, 'partner-unproven');
}

/** Keeps only the status of a server's refusal, because the server's text may repeat data that was sent to it. */
export function withoutForeignText(cause: unknown): unknown {
	const code = codeOf(cause);
	return typeof code === 'number' ? Object.assign(new Error(`status ${code}`), { code }) : cause;
}

/** This error is thrown if a partner refuses our credentials. Repeating them makes many partners lock the account. */
export class LoginRefusedError extends ServiceError {
	constructor(problem: string, cause: unknown) {
		const said = { field: 'host', problem, told: told('partner-login-refused') };
		super('target-unreachable', { ...said, cause: withoutForeignText(cause) });
	}
}

/** Returns the error for a partner that did not answer before a deadline. */
export function partnerTimeout(what: string): ServiceError {
	return new ServiceError('request-timed-out', { field: 'host', problem: what, told: told('partner-silent') });
}

export function isNoSuchFile(error: unknown): boolean {
	return codeOf(error) === SFTP_STATUS.noSuchFile;
}

export function isPermissionDenied(error: unknown): boolean {
	return codeOf(error) === SFTP_STATUS.permissionDenied;
}

export function isEndOfFile(error: unknown): boolean {
	return codeOf(error) === SFTP_STATUS.endOfFile;
}

/** Tells whether the server refused a request. A lost connection is no refusal. */
export function isRefusal(error: unknown): boolean {
	return !(error instanceof ServiceError) && typeof codeOf(error) === 'number';
}

function codeOf(error: unknown): unknown {
	return (error as { code?: unknown } | null)?.code;
}

/**
 * Returns why no connection was made, from an error of the socket or of ssh2. `isGreeted` means that the host has shown
 * its key.
 */
export function connectFailure(error: unknown, isGreeted: boolean): ServiceError {
	if (error instanceof ServiceError) return error;
	const { code, message } = error as { code?: unknown; message?: unknown };
	if (code === 'ECONNREFUSED') return partnerFailure('host', 'the connection was refused', error, 'connection-refused');
	if (code === 'ETIMEDOUT') return partnerTimeout('the connection was not answered');
	const isNetwork = typeof code === 'string' && /^E[A-Z]+$/.test(code);
	if (isNetwork && !/^(ECONNRESET|EPIPE)$/.test(code)) return partnerFailure('host', 'cannot be reached', error);
	if (/^Handshake failed: no matching/.test(String(message))) {
		return partnerFailure('host', 'has no algorithms that are safe enough', error);
	}
	if (!isGreeted) {
		return partnerFailure('host', 'is no SSH server, or ended the handshake', error);
	}
	return partnerFailure('host', 'the connection broke off', error);
}
