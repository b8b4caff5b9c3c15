/** What was found of one part. A `problem` is wrong now; a `warning` will be, or deserves a look. */
export interface Finding {
	readonly part: string;
	readonly state: 'ok' | 'warning' | 'problem';
	readonly says: string;
	/** What to do about it. */
	readonly todo?: string;
}

/** One look at a part; what it throws is a problem of that part. */
export interface Check {
	readonly name: string;
	look(): Promise<Finding | readonly Finding[]>;
}

export const ok = (part: string, says: string): Finding => ({ part, state: 'ok', says });
export const warning = (part: string, says: string, todo: string): Finding => ({ part, state: 'warning', says, todo });
export const problem = (part: string, says: string, todo: string): Finding => ({ part, state: 'problem', says, todo });
