// Lists, as data, every failure that is reported to a caller. Texts and codes are contractual (spec §7.3, §7.4, shapes
// §1). Each interface (http, sftp, jobs, the command line) translates a reason once, from this table.

/** The position of an error in a file: `offset` in bytes from 0, `line` and `record` from 1. */
export interface FilePosition {
	readonly offset: number;
	readonly line?: number;
	readonly record?: number;
	readonly field?: string;
}

/** Describes one reason for a failure and the form in which a caller gets it. */
export interface ErrorRow {
	readonly status: number;
	/** The code that callers see; null means that the answer has no body at all (spec §5.4). */
	readonly code: number | null;
	/** The fixed text that belongs to the code. */
	readonly message: string | null;
	/**
	 * Where the text about the specific failure is shown; by default in `moreInfo`. `message` shows it in the field
	 * `message`, and the fixed text in `moreInfo` (spec §5.4.2). `hidden` writes it only to the log, because a caller
	 * must not distinguish two causes or the spec leaves `moreInfo` empty. `fixed` also writes it only to the log;
	 * `message` then gives the reason, and `moreInfo` the fixed text of code -1003.
	 */
	readonly detail?: 'message' | 'hidden' | 'fixed';
	/**
	 * True if the same call may succeed later without any change: HTTP answers with `Retry-After`, and a job gets
	 * another attempt.
	 */
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
	'mail-limit-reached': { status: 403, code: -1003, message: NOT_AUTHORIZED, detail: 'message' },
	'origin-not-registered': { status: 403, code: -1003, message: NOT_AUTHORIZED, detail: 'message' },
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

/**
 * The name of a reason. These names are stable and our own. They are never sent over HTTP; commands print them under
 * `--json`.
 */
export type Reason = keyof typeof catalogue;

/**
 * Tells whether a failure is a matter of who called or sent the file, who can put it right. Any other failure, one that
 * is not in the catalogue included, is a matter of the installation.
 */
export function isSendersMatter(reason: string): boolean {
	return Object.hasOwn(catalogue, reason) && catalogue[reason as Reason].status < 500;
}

/** The text about a failure, either about one field, parameter or element, or in general. It never quotes content. */
export type Said =
	| {
			readonly field: string;
			/**
			 * The expected content of the field, or the problem with it. The error joins `field` and `problem` to form its
			 * `moreInfo`.
			 */
			readonly problem: string;
			readonly moreInfo?: undefined;
	  }
	| { readonly field?: undefined; readonly problem?: undefined; readonly moreInfo?: string };

/** What happened as a code with parameters, for pages that word it themselves; `failures.ts` lists the codes. */
export interface Told {
	readonly code: string;
	/** Names, numbers and limits, never content of a file or of a card. */
	readonly parameters?: Readonly<Record<string, string | number>>;
}

export type ErrorDetails = Said & {
	/** What happened more exactly than the reason says. */
	readonly told?: Told;
	readonly at?: FilePosition;
	readonly cause?: unknown;
	/** True if a third party may have acted although the call failed. */
	readonly isOutcomeUnknown?: boolean;
};

/** This error is thrown for a failure that is reported to the caller. The catalogue decides how it is shown. */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly reason: Reason;
	/** The text about the specific failure, with the name of the field if the failure is about one. */
	readonly moreInfo: string | null;
	/** The field, parameter or element that the failure is about; null if it is about none. */
	readonly field: string | null;
	readonly at: FilePosition | undefined;
	/**
	 * True if a third party may have acted although the call failed, so the request must not be repeated automatically.
	 */
	readonly isOutcomeUnknown: boolean;
	/** What happened as a code: the reason, unless the thrower has said it more exactly. */
	readonly told: Told;

	readonly #said: Said;

	constructor(reason: Reason, { at, cause, isOutcomeUnknown = false, told, ...said }: ErrorDetails = {}) {
		const text = catalogue[reason].message ?? reason;
		const moreInfo = textOf(said);
		super(moreInfo === null ? text : `${text}: ${moreInfo}`, cause === undefined ? undefined : { cause });
		this.reason = reason;
		this.#said = said;
		this.moreInfo = moreInfo;
		this.field = said.field ?? null;
		this.at = at;
		this.isOutcomeUnknown = isOutcomeUnknown;
		this.told = told ?? { code: reason, ...(said.field !== undefined && { parameters: parametersOf(said) }) };
	}

	/** Returns the text that the constructor was given, so that another error can be created with it. */
	get said(): Said {
		return this.#said;
	}

	get status(): number {
		return catalogue[this.reason].status;
	}

	get retryable(): boolean {
		return (catalogue[this.reason] as ErrorRow).retryable ?? false;
	}
}

function parametersOf({ field, problem }: { readonly field: string; readonly problem: string }) {
	return { field, problem };
}

function textOf({ field, problem, moreInfo }: Said): string | null {
	return field === undefined ? (moreInfo ?? null) : `${field}: ${problem}`;
}

/**
 * Returns the error (`bad-input-data`, a 400) for a field, parameter or element that is not as it must be. The problem says
 * what was expected, never the content; `told` is its code, if there is one that says it more exactly.
 */
export function badInput(field: string, problem: string, told?: Told, cause?: unknown): ServiceError {
	return new ServiceError('bad-input-data', { field, problem, told, cause });
}

/** Holds the three parts of a standard error (spec §7.1). */
export interface StandardError {
	readonly code: number;
	readonly message: string | null;
	readonly moreInfo: string | null;
}

/** Returns the error that the body of the answer contains; null if the answer has no body (spec §5.4, §7.4). */
export function standardErrorOf(error: ServiceError): StandardError | null {
	const { code, message, detail }: ErrorRow = catalogue[error.reason];
	if (code === null) return null;
	if (detail === 'hidden') return { code, message, moreInfo: null };
	if (detail === 'fixed') return { code, message, moreInfo: NOT_AUTHORIZED };
	if (detail === 'message') return { code, message: error.moreInfo, moreInfo: message };
	return { code, message, moreInfo: error.moreInfo };
}

/** Returns a handler for `catch` that makes undefined of the errors that are expected, and throws all others. */
export function noneIf(isExpected: (error: unknown) => boolean): (error: unknown) => undefined {
	return (error) => {
		if (!isExpected(error)) throw error;
		return undefined;
	};
}

/** Tells whether an error of the file system means that there is nothing at the path. */
export function isNoEntry(error: unknown): boolean {
	return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
