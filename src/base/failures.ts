// Lists everything that a call or a job can fail for, and what `doctor` finds, as codes with parameters, and what somebody
// can do about it. Pages word them in the language of their reader; HTTP, reports and commands keep the English texts of
// `errors.ts`.

import { type Reason, ServiceError, type Told } from './errors.ts';
import { FAULTS, FINDINGS } from './fault-codes.ts';

/** What to do next, as a key for which a page has a text. */
export type NextStep =
	/** Correct what was sent, and send it again. */
	| 'correct-input'
	/** Correct the file, and send it under the same name. */
	| 'correct-file'
	/** Send the file to the folder of its format, or as plain text. */
	| 'send-in-other-form'
	/** Send the same file again, because what was stored of it cannot be used. */
	| 'send-file-again'
	/** Correct the options of the folder, and process the file again. */
	| 'correct-options'
	/** Ask a manager of the account for the right or permission. */
	| 'ask-manager'
	/** Ask those who run the installation. */
	| 'ask-operator'
	/** Sign in, or use another credential. */
	| 'sign-in'
	/** Remove files, or wait until old ones are removed. */
	| 'make-room'
	| 'wait-until-tomorrow'
	/** Nothing has to be done but to wait: it is tried again by itself, or can be tried in a moment. */
	| 'wait'
	/** Ask the third party, whose server did not answer or refused. */
	| 'ask-third-party'
	/** Find out what became of the first attempt before anything is repeated. */
	| 'check-outcome'
	/** Look for another address, or for what was there before. */
	| 'look-elsewhere'
	/** Correct the destination or address that is set here. */
	| 'correct-destination'
	/** Correct what the route says. */
	| 'correct-route'
	/** Have the ledger of the route take the file again. */
	| 'take-again'
	/** Have a new key made or imported under the name. */
	| 'renew-key'
	/** Have the key that is missing made or imported. */
	| 'import-key'
	/** Rename the file, and send it again. */
	| 'rename-file'
	/** Let the endpoint receive again, and have delivered what it has missed. */
	| 'resume-endpoint'
	/** Look at the page again: it shows what is there now. */
	| 'look-again'
	/** Remove one that is no longer used. */
	| 'remove-one'
	/** Set up a second factor, or another one. */
	| 'add-factor'
	/** Once the receiver takes calls again, save the endpoint, and have delivered what it has missed. */
	| 'save-endpoint'
	/** Correct the destination, then let the route run again. */
	| 'resume-route'
	/** Do what stands beside a finding about the installation. */
	| 'as-advised'
	/** Nothing has to be done. */
	| 'nothing';

interface FailureRow {
	readonly next: NextStep;
	/**
	 * Whether the same thing may succeed when it is simply tried again: at once, only after the next step, or not at all,
	 * because something else has to be sent. A page offers *Try again* only for the first, and for the second with the step.
	 */
	readonly retry: 'now' | 'after-step' | 'no';
	/** The names of the parameters that may be given. */
	readonly parameters?: readonly string[];
}

const FIELD = ['field', 'problem'] as const;

export const FAILURES = {
	// The reasons of the error catalogue, for calls and for jobs that fail for one of them.
	'bad-input-data': { next: 'correct-input', retry: 'no', parameters: FIELD },
	'bad-input-parameter': { next: 'correct-input', retry: 'no', parameters: FIELD },
	'message-malformed': { next: 'correct-input', retry: 'no' },
	'authentication-failed': { next: 'sign-in', retry: 'no' },
	'token-not-accessible': { next: 'look-elsewhere', retry: 'no' },
	'sender-mismatch': { next: 'correct-input', retry: 'no', parameters: FIELD },
	'bearer-required': { next: 'sign-in', retry: 'no' },
	'cvv-retention-not-set-up': { next: 'ask-operator', retry: 'after-step' },
	'permission-denied': { next: 'ask-manager', retry: 'after-step' },
	'allowance-exceeded': { next: 'ask-operator', retry: 'after-step' },
	'elimination-limit-passed': { next: 'wait-until-tomorrow', retry: 'after-step' },
	'storage-quota-exceeded': { next: 'make-room', retry: 'after-step' },
	'mail-limit-reached': { next: 'wait-until-tomorrow', retry: 'after-step' },
	'origin-not-registered': { next: 'ask-manager', retry: 'after-step' },
	'association-target-invalid': { next: 'correct-input', retry: 'no' },
	'uri-not-found': { next: 'look-elsewhere', retry: 'no' },
	'endpoint-not-found': { next: 'look-elsewhere', retry: 'no' },
	'method-not-allowed': { next: 'correct-input', retry: 'no' },
	'call-repeated': { next: 'check-outcome', retry: 'no' },
	'system-error': { next: 'ask-operator', retry: 'now' },
	'row-altered': { next: 'ask-operator', retry: 'after-step' },
	'target-unreachable': { next: 'ask-third-party', retry: 'now' },
	'database-unavailable': { next: 'wait', retry: 'now' },
	'key-store-unavailable': { next: 'wait', retry: 'now' },
	'drop-store-unavailable': { next: 'wait', retry: 'now' },
	'too-many-calls': { next: 'wait', retry: 'now' },
	'too-many-calls-of-account': { next: 'wait', retry: 'now' },
	'request-timed-out': { next: 'check-outcome', retry: 'no' },
	'file-malformed': { next: 'correct-file', retry: 'no' },

	// What some reasons say more exactly.
	'permission-missing': { next: 'ask-manager', retry: 'after-step', parameters: ['permission'] },
	'allowance-used-up': { next: 'ask-operator', retry: 'after-step', parameters: ['used', 'limit'] },
	'account-blocked': { next: 'ask-operator', retry: 'after-step' },
	'outcome-unknown': { next: 'check-outcome', retry: 'no' },
	'job-altered': { next: 'send-file-again', retry: 'no' },
	'options-altered': { next: 'ask-operator', retry: 'after-step', parameters: ['filter'] },
	'options-unfit': { next: 'correct-options', retry: 'after-step', parameters: ['problems'] },

	// What is wrong with a file. The place in it is told beside the code.
	'file-not-text': { next: 'send-in-other-form', retry: 'no', parameters: ['found'] },
	'file-of-other-format': { next: 'send-in-other-form', retry: 'no', parameters: ['found'] },
	'file-cut-off': { next: 'correct-file', retry: 'no' },
	'record-too-long': { next: 'correct-file', retry: 'no', parameters: ['bytes'] },
	'card-too-long': { next: 'correct-file', retry: 'no', parameters: ['bytes'] },
	'header-missing': { next: 'correct-file', retry: 'no' },
	'header-unclear': { next: 'correct-file', retry: 'no' },
	'header-twice': { next: 'correct-file', retry: 'no' },
	'table-malformed': { next: 'correct-file', retry: 'no' },
	'json-malformed': { next: 'correct-file', retry: 'no' },
	'xml-malformed': { next: 'correct-file', retry: 'no' },
	'record-malformed': { next: 'correct-file', retry: 'no' },
	'cvv-without-card': { next: 'correct-file', retry: 'no' },
	'file-rejected': { next: 'correct-file', retry: 'no', parameters: ['cards', 'numbers', 'codes'] },
	'plugin-failed': { next: 'ask-operator', retry: 'after-step', parameters: ['plugin', 'problem'] },
	'file-without-card-field': { next: 'correct-options', retry: 'after-step', parameters: ['numbers'] },

	// What keeps a call to a third party from its end.
	'host-unknown': { next: 'correct-destination', retry: 'after-step' },
	'host-not-allowed': { next: 'ask-operator', retry: 'after-step' },
	'connection-refused': { next: 'ask-third-party', retry: 'now' },
	'connection-closed': { next: 'ask-third-party', retry: 'now' },
	'connection-not-made': { next: 'ask-third-party', retry: 'now' },
	'tls-failed': { next: 'ask-third-party', retry: 'now' },
	'certificate-not-accepted': { next: 'ask-third-party', retry: 'after-step' },
	'client-certificate-refused': { next: 'ask-third-party', retry: 'after-step' },
	'answer-not-understood': { next: 'ask-third-party', retry: 'now' },

	// What a partner's server of files does not do.
	'partner-unreachable': { next: 'ask-third-party', retry: 'now' },
	'partner-silent': { next: 'ask-third-party', retry: 'now' },
	'partner-rests': { next: 'wait', retry: 'now' },
	'partner-login-refused': { next: 'correct-destination', retry: 'after-step' },
	'partner-unproven': { next: 'correct-destination', retry: 'after-step' },
	'partner-folder-refused': { next: 'ask-third-party', retry: 'now' },
	'partner-file-refused': { next: 'ask-third-party', retry: 'now' },
	'partner-file-missing': { next: 'ask-third-party', retry: 'now' },
	'partner-file-changed': { next: 'wait', retry: 'now' },
	'name-taken': { next: 'correct-route', retry: 'after-step' },

	// What else becomes of the files and runs of a route.
	'file-changing': { next: 'wait', retry: 'now' },
	'file-not-wanted': { next: 'correct-route', retry: 'after-step' },
	'file-too-young': { next: 'wait', retry: 'now' },
	'file-changed-since-listed': { next: 'wait', retry: 'now' },
	'done-file-missing': { next: 'ask-third-party', retry: 'now' },
	'file-empty': { next: 'correct-file', retry: 'no' },
	'file-delivered-before': { next: 'nothing', retry: 'no' },
	'file-kept-away': { next: 'take-again', retry: 'after-step' },
	'file-given-up-before': { next: 'take-again', retry: 'after-step' },
	'file-under-way': { next: 'wait', retry: 'now' },
	'card-in-name': { next: 'rename-file', retry: 'no' },
	'name-not-allowed': { next: 'rename-file', retry: 'no' },
	'file-too-large': { next: 'ask-operator', retry: 'after-step' },
	'upload-superseded': { next: 'wait', retry: 'now' },
	'job-gone': { next: 'send-file-again', retry: 'no' },
	'collected-file-gone': { next: 'send-file-again', retry: 'no' },
	'source-not-cleared': { next: 'ask-third-party', retry: 'now' },
	'account-gone': { next: 'ask-operator', retry: 'after-step' },
	'route-gone': { next: 'ask-operator', retry: 'after-step' },
	'route-in-circles': { next: 'correct-route', retry: 'after-step' },
	'route-running': { next: 'wait', retry: 'now' },
	'route-stopped': { next: 'resume-route', retry: 'after-step' },

	// What is wrong with an OpenPGP message, and what keeps a key from use.
	'pgp-message-damaged': { next: 'send-file-again', retry: 'no' },
	'pgp-message-missing': { next: 'correct-file', retry: 'no' },
	'pgp-message-unfit': { next: 'correct-file', retry: 'no' },
	'pgp-message-unsigned': { next: 'correct-file', retry: 'no' },
	'pgp-message-too-large': { next: 'correct-file', retry: 'no', parameters: ['bytes'] },
	'pgp-message-for-others': { next: 'correct-file', retry: 'no', parameters: ['keys'] },
	'pgp-message-of-others': { next: 'import-key', retry: 'after-step' },
	'pgp-signature-wrong': { next: 'correct-file', retry: 'no', parameters: ['key'] },
	'pgp-own-key-missing': { next: 'import-key', retry: 'after-step' },
	'pgp-key-missing': { next: 'renew-key', retry: 'after-step', parameters: ['key'] },
	'pgp-key-over': { next: 'renew-key', retry: 'after-step', parameters: ['key'] },
	'pgp-key-unfit': { next: 'renew-key', retry: 'after-step', parameters: ['key'] },
	'pgp-key-ends': { next: 'renew-key', retry: 'now', parameters: ['key', 'day'] },

	// What becomes of the delivery of an event.
	'receiver-refused': { next: 'ask-third-party', retry: 'now', parameters: ['status'] },
	'receiver-gone': { next: 'save-endpoint', retry: 'after-step' },
	'receiver-silent': { next: 'save-endpoint', retry: 'after-step', parameters: ['days'] },
	'endpoint-disabled': { next: 'save-endpoint', retry: 'after-step' },
	'endpoint-paused-too-long': { next: 'resume-endpoint', retry: 'after-step', parameters: ['days'] },
	'endpoint-removed': { next: 'nothing', retry: 'no' },
	'mail-not-set-up': { next: 'ask-operator', retry: 'after-step' },

	// What is wrong with the input of a form.
	'already-there': { next: 'correct-input', retry: 'no' },
	'not-there': { next: 'correct-input', retry: 'no' },
	'changed-meanwhile': { next: 'look-again', retry: 'after-step' },
	'at-most': { next: 'remove-one', retry: 'after-step', parameters: ['limit'] },
	'none-chosen': { next: 'correct-input', retry: 'no' },
	'not-in-range': { next: 'correct-input', retry: 'no', parameters: ['from', 'to'] },
	'time-not-in-future': { next: 'correct-input', retry: 'no' },
	'day-malformed': { next: 'correct-input', retry: 'no' },
	'like-a-card': { next: 'correct-input', retry: 'no' },
	'name-malformed': { next: 'correct-input', retry: 'no', parameters: ['most'] },
	'mail-address-malformed': { next: 'correct-input', retry: 'no' },
	'address-range-malformed': { next: 'correct-input', retry: 'no' },
	'origin-malformed': { next: 'correct-input', retry: 'no' },
	'url-malformed': { next: 'correct-input', retry: 'no' },
	'public-key-malformed': { next: 'correct-input', retry: 'no' },
	'public-key-refused': { next: 'correct-input', retry: 'no' },
	'private-key-given': { next: 'correct-input', retry: 'no' },
	'grant-exceeded': { next: 'ask-manager', retry: 'after-step', parameters: ['permissions'] },
	'grant-needs-factor': { next: 'add-factor', retry: 'after-step', parameters: ['permissions'] },
	'grant-needs-operators': { next: 'ask-operator', retry: 'after-step', parameters: ['permissions'] },
	'last-factor': { next: 'add-factor', retry: 'after-step' },
	'upload-incomplete': { next: 'send-file-again', retry: 'no' },

	// What else can befall a job.
	'cards-stored-meanwhile': { next: 'wait', retry: 'now' },
	'kills-the-worker': { next: 'ask-operator', retry: 'after-step' },
	'input-damaged': { next: 'send-file-again', retry: 'no' },
	'input-missing': { next: 'send-file-again', retry: 'no' },
	'card-damaged': { next: 'ask-operator', retry: 'after-step', parameters: ['page'] },
	'worker-gone': { next: 'wait', retry: 'now' },
	'daemon-gone': { next: 'wait', retry: 'now' },

	...FAULTS,
	...FINDINGS,
} as const satisfies Record<Reason, FailureRow> & Record<string, FailureRow>;

/** The code of a failure. Every reason of the catalogue is one. */
export type FailureCode = keyof typeof FAILURES;

/** A failure as a page words it. */
export interface Failure {
	readonly code: FailureCode;
	/** Names, numbers and limits, never content of a file or of a card. */
	readonly parameters: Readonly<Record<string, string | number>>;
	readonly next: NextStep;
	readonly retry: FailureRow['retry'];
}

/** Says what happened, for the error that is thrown about it. */
export function told<Code extends FailureCode>(code: Code, parameters?: ParametersOf<Code>): Told {
	return { code, ...(parameters && { parameters }) };
}

/** Why something was not done: a sentence in English, which interfaces give, and the same for pages. */
export interface Why {
	readonly reason: string;
	readonly told: Told;
}

export function why<Code extends FailureCode>(reason: string, code: Code, parameters?: ParametersOf<Code>): Why {
	return { reason, told: told(code, parameters) };
}

/** What is wrong with one member of a document. */
export interface Fault {
	/** The path as people write it: `from.ready.unchanged`, `from.files[1]`; empty for the whole document. */
	readonly path: string;
	/** Says in English what was expected, and never quotes a value. */
	readonly rule: string;
	readonly told: Told;
}

export function textOfFault({ path, rule }: Pick<Fault, 'path' | 'rule'>): string {
	return path === '' ? rule : `${path}: ${rule}`;
}

/** A `Why` as it is stored beside other columns; `told` is JSON. */
export interface WhyColumns {
	readonly reason: string | null;
	/** Null also where only an earlier version has stored the reason. */
	readonly told: string | null;
}

export function whyColumns(stored: Why | null): WhyColumns {
	return { reason: stored?.reason ?? null, told: stored && JSON.stringify(stored.told) };
}

/** A `Why` as it was stored; an earlier version has stored the sentence alone. */
export type StoredWhy = Pick<Why, 'reason'> & Partial<Pick<Why, 'told'>>;

/** Reads what `whyColumns` has stored. */
export function readWhy({ reason, told: stored }: WhyColumns): StoredWhy | null {
	if (reason === null) return null;
	return { reason, ...(stored !== null && { told: JSON.parse(stored) as Told }) };
}

type NamesOf<Code extends FailureCode> = (typeof FAILURES)[Code] extends {
	readonly parameters: readonly (infer Name)[];
}
	? Name & string
	: never;
type ParametersOf<Code extends FailureCode> = Readonly<Record<NamesOf<Code>, string | number>>;

export function isFailureCode(text: string): text is FailureCode {
	return Object.hasOwn(FAILURES, text);
}

/** Returns what is known of a code; a code that an earlier version has stored and this one does not know is a bug's. */
export function failureOf({ code, parameters = {} }: Told): Failure {
	const known = isFailureCode(code) ? code : 'system-error';
	const { next, retry } = FAILURES[known];
	return { code: known, parameters, next, retry };
}

/** Returns what an error of a call tells pages. */
export function toldBy(error: unknown): Told {
	if (!(error instanceof ServiceError)) return told('system-error');
	return error.isOutcomeUnknown ? told('outcome-unknown') : error.told;
}

export function failureOfError(error: unknown): Failure {
	return failureOf(toldBy(error));
}
