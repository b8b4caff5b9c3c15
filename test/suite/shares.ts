// Says which test files a run has, and which of them share a process: to load the source costs more than most tests, so each
// share loads it once.

import { globSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Share {
	/** Folders under `test/`, of which each stands for all that is in it; `.` is `test/` itself. */
	readonly folders: readonly string[];
	/**
	 * How many tests run at once, given where tests wait more than they work. Otherwise one runs at a time, so that none
	 * disturbs what another measures.
	 */
	readonly atOnce?: number;
}

export type ShareName = keyof typeof shares;

/** The folder of the tests. */
export const TESTS = fileURLToPath(new URL('..', import.meta.url));

/**
 * The shares in the order in which they start: first those that take longest. A file belongs to the share that names its
 * folder, or else the nearest folder above it; so none belongs to no share, and none to two. Every share has its `.suite.ts`
 * (test/suite.test.ts).
 */
export const shares = {
	http: { folders: ['http', 'spec', 'identity', 'statistics'] },
	jobs: {
		folders: [
			'jobs',
			'drops',
			'routes',
			'events',
			'commands',
			'operators',
			'mail',
			'requests',
			'sftp',
			'ssh',
			'clients',
			'outbound',
			'openpgp',
			'pgp',
			'plugins',
		],
	},
	cards: {
		folders: ['card', 'text', 'formats', 'pages', 'property', 'trade', 'engine', 'relay', 'gateway', 'wallet'],
	},
	portal: { folders: ['portal', 'search', 'changes'] },
	pages: { folders: ['.', 'docs', 'examples', 'forms', 'http/guide'], atOnce: 2 },
	keys: {
		folders: [
			...['helpers', 'keys', 'ledger', 'log', 'settings', 'trail', 'vault'],
			...['app', 'database', 'defender', 'installation'],
		],
		atOnce: 2,
	},
} as const satisfies Record<string, Share>;

/**
 * Folders whose files have a process each: they drive daemons and other programs for many seconds, or time threads, which
 * must not share two processors with other tests.
 */
export const ALONE = ['scenarios', 'deploy', 'bench', 'relay/bodies'];

const places = new Map<string, ShareName | undefined>([
	...Object.entries(shares).flatMap(([name, { folders }]) =>
		folders.map((folder) => [folder, name as ShareName] as const),
	),
	...ALONE.map((folder) => [folder, undefined] as const),
]);

/** Returns the share of a file, given by its path under `test/`; undefined if it has a process of its own. */
export function shareOf(file: string): ShareName | undefined {
	let folder = dirname(file);
	while (!places.has(folder)) folder = dirname(folder);
	return places.get(folder);
}

/** Tells whether a plain run leaves out the tests of a file: its name says so. */
export function isSlow(file: string): boolean {
	return file.endsWith('.slow.test.ts');
}

/**
 * Tells whether this run has all tests, as those of CI, `npm run test:all` and `npm run test:long` have. Where every program
 * is required, as in CI, every test is required too.
 */
export function isWholeRun(env: NodeJS.ProcessEnv = process.env): boolean {
	return env.TOKENDROP_TEST_ALL === '1' || env.TOKENDROP_TEST_LONG === '1' || env.TOKENDROP_TEST_REQUIRE === 'all';
}

/** Returns the test files of a run by their paths under `test/`: all, or all but the slow ones. */
export function filesOfRun(isWhole = isWholeRun()): string[] {
	const files = globSync('**/*.test.ts', { cwd: TESTS }).sort();
	return isWhole ? files : files.filter((file) => !isSlow(file));
}
