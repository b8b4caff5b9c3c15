/**
 * Describes the result of one check. A `problem` is wrong now; a `warning` will become a problem or should be examined.
 */
export interface Finding {
	readonly part: string;
	readonly state: 'ok' | 'warning' | 'problem';
	readonly says: string;
	/** The action that is recommended to the operator. */
	readonly todo?: string;
}

/** Describes one check of a part of the installation. If it throws, that is reported as a problem of the part. */
export interface Check {
	readonly name: string;
	look(): Promise<Finding | readonly Finding[]>;
}

export const ok = (part: string, says: string): Finding => ({ part, state: 'ok', says });
export const warning = (part: string, says: string, todo: string): Finding => ({ part, state: 'warning', says, todo });
export const problem = (part: string, says: string, todo: string): Finding => ({ part, state: 'problem', says, todo });
