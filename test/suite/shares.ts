// Which test files share a process in `npm test`: loading the house costs more than most tests, so it is loaded once a share.

import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Share {
	/** Files under `test/` without `.test.ts`; `*` stands for any letters of a name. */
	readonly files: readonly string[];
	/** Where tests wait more than they work; one at a time otherwise, so that none disturbs what another measures. */
	readonly atOnce?: number;
}

/** The folder of the tests. */
export const TESTS = fileURLToPath(new URL('..', import.meta.url));

/**
 * In the order in which they start, those that take longest first. Every test file belongs to exactly one share or is
 * alone, and every share has its `.suite.ts` (test/suite.test.ts).
 */
export const shares = {
	pages: { files: ['docs/*', 'examples/*', 'forms/*', 'http/guide/*', '[i-z]*', 'http/do*'], atOnce: 2 },
	portal: { files: ['portal/*'] },
	'daemons-rotated': { files: ['scenarios/[a-g]*', 'scenarios/r[o-z]*'] },
	'daemons-searched': { files: ['scenarios/[s-z]*', 'deploy/*', 'bench/*', 'bench/plot/*'] },
	'daemons-named': { files: ['scenarios/[n-q]*', 'scenarios/r[a-n]*'] },
	'daemons-killed': { files: ['scenarios/[h-m]*'] },
	keys: { files: ['audit/*', 'helpers/*', 'keys/*', 'ledger/*', 'log/*', 'settings/*', 'vault/*'] },
	relay: {
		files: [
			...['relay/a*', 'relay/[c-z]*', 'relay/selectors/*', 'gateway/*', 'gateway/drivers/*', 'wallet/*'],
			...['outbound/[a-r]*', 'outbound/sl*', 'outbound/[t-z]*'],
		],
	},
	jobs: { files: ['jobs/*', 'drops/*'], atOnce: 2 },
	'http-files': { files: ['http/f*', 'http/g*', 'http/h*'] },
	'http-calls': { files: ['http/[a-c]*', 'http/d[a-n]*', 'http/d[p-z]*', 'http/e*', 'http/[i-o]*'] },
	specification: { files: ['spec/*', 'identity/*', 'statistics/*'] },
	cards: {
		files: ['[a-h]*', 'card/*', 'formats/*', 'formats/scan/*', 'pages/*', 'property/*', 'trade/*', 'transfer/*'],
	},
	assembly: { files: ['assembly/*', 'database/*', 'defender/*'], atOnce: 4 },
	'http-third-parties': { files: ['http/[p-z]*'] },
	commands: { files: ['commands/*', 'operators/*', 'mail/*', 'requests/*'] },
	connections: { files: ['sftp/*', 'clients/*', 'outbound/sf*'] },
} as const satisfies Record<string, Share>;

/** Files with a process each: threads are timed there that share two processors with nobody. */
export const alone: Share = { files: ['relay/b*'] };

/** The test files of a share, by their paths under `test/`. */
export function filesOf({ files }: Share): string[] {
	return globSync(
		files.map((pattern) => `${pattern}.test.ts`),
		{ cwd: TESTS },
	).sort();
}
