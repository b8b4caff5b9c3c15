// Says which test files share a process in `npm test`: to load the source costs more than most tests, so each share loads
// it once.

import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Share {
	/** Files under `test/` without `.test.ts`; `*` stands for any letters of a name. */
	readonly files: readonly string[];
	/**
	 * How many tests run at once, given where tests wait more than they work. Otherwise one runs at a time, so that none
	 * disturbs what another measures.
	 */
	readonly atOnce?: number;
}

/** The folder of the tests. */
export const TESTS = fileURLToPath(new URL('..', import.meta.url));

/**
 * The shares in the order in which they start: first those that take longest in a plain run, then those that do so in a
 * whole one. Every test file belongs to exactly one share or is alone, and every share has its `.suite.ts`
 * (test/suite.test.ts).
 */
export const shares = {
	http: {
		files: ['http/[a-c]*', 'http/d[a-n]*', 'http/d[p-z]*', 'http/[e-z]*', 'spec/*', 'identity/*', 'statistics/*'],
	},
	jobs: {
		files: [
			'jobs/*',
			'drops/*',
			'commands/*',
			'operators/*',
			'mail/*',
			'requests/*',
			'sftp/*',
			'clients/*',
			'outbound/sf*',
		],
	},
	cards: {
		files: [
			...[
				'[a-h]*',
				'card/*',
				'card/finder/*',
				'formats/*',
				'formats/scan/*',
				'pages/*',
				'property/*',
				'trade/*',
				'transfer/*',
			],
			...['relay/a*', 'relay/[c-z]*', 'relay/selectors/*', 'gateway/*', 'gateway/drivers/*', 'wallet/*'],
			...['outbound/[a-r]*', 'outbound/sl*', 'outbound/[t-z]*'],
		],
	},
	portal: { files: ['portal/*'] },
	pages: { files: ['docs/*', 'examples/*', 'forms/*', 'http/guide/*', '[i-z]*', 'http/do*'], atOnce: 2 },
	'daemons-searched': {
		files: ['scenarios/[n-q]*', 'scenarios/r[a-n]*', 'scenarios/[s-z]*', 'deploy/*', 'bench/*', 'bench/plot/*'],
	},
	'daemons-killed': { files: ['scenarios/[a-m]*', 'scenarios/r[o-z]*', 'bench/soak/*'] },
	keys: {
		files: [
			...['audit/*', 'helpers/*', 'keys/*', 'ledger/*', 'log/*', 'settings/*', 'vault/*'],
			...['assembly/*', 'database/*', 'defender/*'],
		],
		atOnce: 2,
	},
} as const satisfies Record<string, Share>;

/** Files that have a process each, because they time threads, which must not share two processors with other tests. */
export const alone: Share = { files: ['relay/b*'] };

/** Returns the test files of a share, by their paths under `test/`. */
export function filesOf({ files }: Share): string[] {
	return globSync(
		files.map((pattern) => `${pattern}.test.ts`),
		{ cwd: TESTS },
	).sort();
}
