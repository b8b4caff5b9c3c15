import type { Told } from '../../base/errors.ts';
import { type Why, why } from '../../base/failures.ts';

/** What can be looked at. */
export type Part =
	| 'versions'
	| 'database'
	| 'database or keys'
	| 'pages of the database'
	| 'hosts of the database'
	| 'servers of the cluster'
	| 'schema'
	| 'clock'
	| 'keys'
	| 'drops'
	| 'bucket'
	| 'disk'
	| 'daemon'
	| 'schedule'
	| 'queue'
	| 'failures'
	| 'routes'
	| 'payment pages'
	| 'bans'
	| 'expiry'
	| 'backup'
	| 'silence'
	| 'audit trail';

/** A `problem` is wrong now; a `warning` will become a problem or should be examined. */
export interface Finding {
	readonly part: Part;
	readonly state: 'ok' | 'warning' | 'problem';
	/** In English, as the command shows it. */
	readonly says: string;
	/** What it tells pages. */
	readonly told?: Told;
	readonly todo?: string;
}

/** Describes one check of a part of the installation. If it throws, `lookAt` says so. */
export interface Check {
	readonly name: Part;
	look(): Promise<Finding | readonly Finding[]>;
}

export const ok = (part: Part, { reason: says, told }: Why): Finding => ({ part, state: 'ok', says, told });
export const warning = (part: Part, { reason: says, told }: Why, todo: string): Finding => ({
	...{ part, state: 'warning', says, told, todo },
});
export const problem = (part: Part, { reason: says, told }: Why, todo: string): Finding => ({
	...{ part, state: 'problem', says, told, todo },
});

/** What a check says of its part. */
interface Verdicts {
	ok(says: Why): Finding;
	warning(says: Why, todo: string): Finding;
	problem(says: Why, todo: string): Finding;
}

/** Makes the check of a part; `look` gets what makes its findings. */
export function check(name: Part, look: (verdicts: Verdicts) => ReturnType<Check['look']>): Check {
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
		const says = why(`it could not be looked at: ${(error as Error).message}`, 'not-looked-at');
		return [problem(name, says, todo)];
	}
}
