// The errors that decide what a run does next.

import { ServiceError, type Told } from '../../../base/errors.ts';
import { told, type Why } from '../../../base/failures.ts';
import { LoginRefusedError } from '../../../base/outbound/sftp/sftp-failures.ts';
import { CARD_IN_NAME } from '../../drops/drop-names.ts';
import { UploadError } from '../../drops/upload.ts';

/** This error means that another daemon has the run now, so that this one must change nothing more. */
export class RunLostError extends Error {
	override readonly name = 'RunLostError';
	constructor() {
		super('another daemon has taken over the run');
	}
}

/** An error about one file, whose message is a sentence of ours. */
abstract class FileOfRunError extends Error {
	readonly told: Told;
	constructor(message: string, told: Told) {
		super(message);
		this.told = told;
	}
}

/** This error means that a file cannot be delivered however often it is tried. */
export class HopelessError extends FileOfRunError {
	override readonly name = 'HopelessError';
}

/** This error means that a file could not be processed for a reason that passes, so that another try may help. */
export class PassingError extends FileOfRunError {
	override readonly name = 'PassingError';
}

/** Returns the error for a file with a name that no file may have. */
export function badName(problem: string): HopelessError {
	return new HopelessError(problem, told(problem === CARD_IN_NAME ? 'card-in-name' : 'name-not-allowed'));
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

/** Returns why something failed, as history and ledger say it. It contains no text of a partner and no content. */
export function whyOf(error: unknown): Why {
	if (error instanceof ServiceError) return { reason: error.moreInfo ?? error.message, told: error.told };
	if (error instanceof FileOfRunError || error instanceof UploadError)
		return { reason: error.message, told: error.told };
	if (error instanceof HostRestsError) return { reason: error.message, told: told('partner-rests') };
	if (error instanceof RunLostError) return { reason: error.message, told: told('daemon-gone') };
	const { code } = error as { code?: unknown };
	const which = typeof code === 'string' ? ` (${code})` : '';
	return { reason: `an unexpected condition${which}; the log has more`, told: told('system-error') };
}
