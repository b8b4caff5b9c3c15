// The errors that decide what a run does next.

import { ServiceError } from '../../../base/errors.ts';
import { LoginRefusedError } from '../../../base/outbound/sftp/sftp-failures.ts';

/** This error means that another daemon has the run now, so that this one must change nothing more. */
export class RunLostError extends Error {
	override readonly name = 'RunLostError';
	constructor() {
		super('another daemon has taken over the run');
	}
}

/** This error means that a file cannot be delivered however often it is tried. */
export class HopelessError extends Error {
	override readonly name = 'HopelessError';
}

/** This error means that a file could not be processed for a reason that passes, so that another try may help. */
export class PassingError extends Error {
	override readonly name = 'PassingError';
}

/** This error means that a host was not called, because it did not answer a short time ago. */
export class HostRestsError extends Error {
	override readonly name = 'HostRestsError';
	readonly untilMs: number;
	constructor(untilMs: number) {
		super(`the host did not answer a short time ago, and is called again at ${new Date(untilMs).toISOString()}`);
		this.untilMs = untilMs;
	}
}

/** Tells whether an error is about an end of the route as a whole and not about one file. */
export function isAboutHost(error: unknown): boolean {
	if (error instanceof RunLostError || error instanceof HostRestsError || error instanceof LoginRefusedError)
		return true;
	return error instanceof ServiceError && error.field === 'host';
}

/** Errors whose messages are sentences of ours. */
const SPOKEN = new Set(['HopelessError', 'PassingError', 'HostRestsError', 'RunLostError', 'UploadError']);

/** Returns why something failed, as history and ledger say it. It contains no text of a partner and no content. */
export function reasonText(error: unknown): string {
	if (error instanceof ServiceError) return error.moreInfo ?? error.message;
	if (error instanceof Error && SPOKEN.has(error.name)) return error.message;
	const { code } = error as { code?: unknown };
	return typeof code === 'string'
		? `an unexpected condition (${code}); the log has more`
		: 'an unexpected condition; the log has more';
}
