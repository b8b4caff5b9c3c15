/** A `problem` is wrong now; a `warning` will become a problem or should be examined. */
export interface Finding {
	readonly part: string;
	readonly state: 'ok' | 'warning' | 'problem';
	readonly says: string;
	readonly todo?: string;
}

/** Describes one check of a part of the installation. If it throws, `lookAt` says so. */
export interface Check {
	readonly name: string;
	look(): Promise<Finding | readonly Finding[]>;
}

export const ok = (part: string, says: string): Finding => ({ part, state: 'ok', says });
export const warning = (part: string, says: string, todo: string): Finding => ({ part, state: 'warning', says, todo });
export const problem = (part: string, says: string, todo: string): Finding => ({ part, state: 'problem', says, todo });

/** What a check says of its part. */
interface Verdicts {
	ok(says: string): Finding;
	warning(says: string, todo: string): Finding;
	problem(says: string, todo: string): Finding;
}

/** Makes the check of a part; `look` gets what makes its findings. */
export function check(name: string, look: (verdicts: Verdicts) => ReturnType<Check['look']>): Check {
	const verdicts: Verdicts = {
		ok: (says) => ok(name, says),
		warning: (says, todo) => warning(name, says, todo),
		problem: (says, todo) => problem(name, says, todo),
	};
	return { name, look: () => look(verdicts) };
}

/** Makes a check, and returns what it finds, or that it could not be made. */
export async function lookAt({ name, look }: Check): Promise<readonly Finding[]> {
	try {
		return [await look()].flat();
	} catch (error) {
		const todo =
			'remove what the message says, then run this again; the log of the daemon and docs/operations.md have more';
		return [problem(name, `it could not be looked at: ${(error as Error).message}`, todo)];
	}
}
