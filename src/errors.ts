// Every failure a caller can be told about, as data. Texts and codes are contractual (spec §7.3, §7.4, shapes §1);
// each edge (http, sftp, jobs, the command line) translates a reason once, from this table.

import type { FilePosition } from './transfer/format.ts';

/** One reason and how it looks on the wire. */
export interface ErrorRow {
	readonly status: number;
	/** Wire code; null means that the answer has no body at all (spec §5.4). */
	readonly code: number | null;
	/** The fixed text of the code. */
	readonly message: string | null;
	/**
	 * Where the text about the specific failure goes: to `moreInfo` unless said otherwise. `message` swaps the two
	 * fields (spec §5.4.2); `hidden` keeps it for the log, where a caller must not tell two causes apart or the spec
	 * leaves `moreInfo` empty; with `fixed` the log has it and `moreInfo` the text of -1003, since `message` is the reason
	 * already.
	 */
	readonly detail?: 'message' | 'hidden' | 'fixed';
	/** The same call may succeed later without any change: over HTTP with `Retry-After`, in a job another attempt. */
	readonly retryable?: true;
}

const NOT_AUTHORIZED = 'You are not authorized to access this resource. Please contact customer support.';
const SYSTEM_ERROR = 'System error: unexpected condition';

export const catalogue = {
	'bad-input-data': { status: 400, code: -125, message: 'Bad input data' },
	'bad-input-parameter': { status: 400, code: -125, message: 'Bad input parameter' },
	'message-malformed': { status: 400, code: -125, message: 'Message badly formatted' },
	'file-malformed': { status: 400, code: -125, message: 'Message badly formatted' },
	'authentication-failed': { status: 401, code: null, message: null, detail: 'hidden' },
	'token-not-accessible': { status: 401, code: -1003, message: NOT_AUTHORIZED, detail: 'hidden' },
	'sender-mismatch': { status: 401, code: -1003, message: NOT_AUTHORIZED },
	'bearer-required': { status: 401, code: -1003, message: NOT_AUTHORIZED },
	'cvv-retention-not-set-up': {
		status: 401,
		code: -1003,
		message: 'User is not authorized to handle bank cards',
	},
	'permission-denied': { status: 403, code: -1003, message: NOT_AUTHORIZED, detail: 'message' },
	'allowance-exceeded': { status: 403, code: -1003, message: NOT_AUTHORIZED, detail: 'message' },
	'elimination-limit-passed': { status: 403, code: -1003, message: NOT_AUTHORIZED, detail: 'message' },
	'storage-quota-exceeded': { status: 403, code: -1003, message: NOT_AUTHORIZED, detail: 'message' },
	'association-target-invalid': {
		status: 403,
		code: -1003,
		message: 'This operation is not allowed for the given entity',
		detail: 'fixed',
	},
	'uri-not-found': { status: 404, code: -160, message: 'Uri not found' },
	'endpoint-not-found': { status: 404, code: null, message: null, detail: 'hidden' },
	'method-not-allowed': { status: 405, code: null, message: null, detail: 'hidden' },
	'call-repeated': { status: 409, code: -125, message: 'Bad input parameter' },
	'system-error': { status: 500, code: -150, message: SYSTEM_ERROR, detail: 'hidden' },
	'row-altered': { status: 500, code: -150, message: SYSTEM_ERROR, detail: 'hidden' },
	'target-unreachable': { status: 502, code: -150, message: SYSTEM_ERROR },
	'database-unavailable': { status: 503, code: -150, message: SYSTEM_ERROR, detail: 'hidden', retryable: true },
	'key-store-unavailable': { status: 503, code: -150, message: SYSTEM_ERROR, detail: 'hidden', retryable: true },
	'drop-store-unavailable': { status: 503, code: -150, message: SYSTEM_ERROR, detail: 'hidden', retryable: true },
	'too-many-calls': { status: 503, code: -150, message: SYSTEM_ERROR, detail: 'hidden', retryable: true },
	'too-many-calls-of-account': { status: 503, code: -150, message: SYSTEM_ERROR, retryable: true },
	'request-timed-out': { status: 504, code: -175, message: 'Request timed out', detail: 'hidden' },
} as const satisfies Record<string, ErrorRow>;

/** Ours, stable, and never on the wire over HTTP; commands print it under `--json`. */
export type Reason = keyof typeof catalogue;

export interface ErrorDetails {
	/** Names the field, parameter or element and what was expected; never any content. */
	readonly moreInfo?: string;
	/** Where in a file. */
	readonly at?: FilePosition;
	readonly cause?: unknown;
	/** A third party may have acted all the same. */
	readonly isOutcomeUnknown?: boolean;
}

/** A failure the caller can be told about. What it looks like outside stands in the catalogue. */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly reason: Reason;
	readonly moreInfo: string | null;
	readonly at: FilePosition | undefined;
	/** A third party may have acted all the same: what was asked for is not to be asked for again by itself. */
	readonly isOutcomeUnknown: boolean;

	constructor(reason: Reason, { moreInfo, at, cause, isOutcomeUnknown = false }: ErrorDetails = {}) {
		const text = catalogue[reason].message ?? reason;
		super(moreInfo === undefined ? text : `${text}: ${moreInfo}`, cause === undefined ? undefined : { cause });
		this.reason = reason;
		this.moreInfo = moreInfo ?? null;
		this.at = at;
		this.isOutcomeUnknown = isOutcomeUnknown;
	}

	get status(): number {
		return catalogue[this.reason].status;
	}

	get retryable(): boolean {
		return (catalogue[this.reason] as ErrorRow).retryable ?? false;
	}
}

/** The three parts of a standard error (spec §7.1). */
export interface StandardError {
	readonly code: number;
	readonly message: string | null;
	readonly moreInfo: string | null;
}

/** What the caller reads in the body; null where the answer has none (spec §5.4, §7.4). */
export function standardErrorOf(error: ServiceError): StandardError | null {
	const { code, message, detail }: ErrorRow = catalogue[error.reason];
	if (code === null) return null;
	if (detail === 'hidden') return { code, message, moreInfo: null };
	if (detail === 'fixed') return { code, message, moreInfo: NOT_AUTHORIZED };
	if (detail === 'message') return { code, message: error.moreInfo, moreInfo: message };
	return { code, message, moreInfo: error.moreInfo };
}
