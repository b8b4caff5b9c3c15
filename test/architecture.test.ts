// Checks the direction of dependencies and the rules of the house by reading the source. A failure names file and line.

import test from 'ava';
import type { SourceFile } from './helpers/source-files.ts';
import { files, importsThat, linesThat, none } from './helpers/source-rules.ts';

/** Contracts that are declared by the room that needs them and implemented elsewhere, so any file may import them. */
const PORTS = ['src/transfer/format.ts', 'src/sftp/tree.ts'];

/** Which way dependencies point: a file imports from its own layer or from one further down this list. */
const LAYERS: Record<string, string[]> = {
	assembly: ['main.ts', 'daemon.ts', 'commands', 'assembly'],
	doors: ['sftp', 'http', 'jobs/schedule.ts'],
	flows: ['jobs', 'relay', 'gateway', 'wallet', 'requests', 'forms', 'portal'],
	formats: ['formats'],
	meaning: ['transfer', 'vault', 'identity', 'drops', 'audit', 'outbound', 'operators', 'ledger', 'mail', 'statistics'],
	facts: [
		...['card', 'pages', 'keys', 'database', 'settings', 'settings.ts', 'secret.ts', 'errors.ts', 'log', 'log.ts'],
		...[
			'lifecycle.ts',
			'durable-files.ts',
			'slices.ts',
			'turns.ts',
			'fair-queue.ts',
			'buffer-memory.ts',
			'limited-thread.ts',
			'thread-holder.ts',
			'thread-priority.ts',
			'thread-slot.ts',
			'actor.ts',
			'address-range.ts',
			'clock.ts',
			'defender',
			'ssh-algorithms.ts',
			...PORTS.map((port) => port.replace('src/', '')),
		],
	],
};

/** The one home of every third-party package: one room knows a library, the others know that room. */
const HOMES: Record<string, string[]> = {
	'@fastify/ajv-compiler': ['src/http'],
	'@fastify/compress': ['src/http'],
	'@fastify/swagger': ['src/http'],
	'@fastify/swagger-ui': ['src/http'],
	'@peculiar/x509': ['src/identity'],
	'@simplewebauthn/server': ['src/portal/factors'],
	'@sinclair/typebox': ['src/http'],
	'@zxcvbn-ts/language-common': ['src/portal'],
	'better-sqlite3': ['src/database'],
	commander: ['src/main.ts', 'src/commands'],
	'css-tree': ['src/pages'],
	'csv-parse': ['src/http'],
	'csv-stringify': ['src/jobs', 'src/http'],
	fastify: ['src/http'],
	fontoxpath: ['src/relay/selectors'],
	'ipaddr.js': ['src/outbound'],
	'jsonpath-rfc9535': ['src/relay/selectors'],
	knex: ['src/database'],
	'node-cron': ['src/jobs/schedule.ts'],
	nodemailer: ['src/mail'],
	otpauth: ['src/portal/factors'],
	pg: ['src/database'],
	pino: ['src/log.ts'],
	'prom-client': ['src/assembly/metrics.ts'],
	'reflect-metadata': ['src/identity'],
	sax: ['src/http', 'src/gateway/drivers'],
	slimdom: ['src/relay/selectors'],
	ssh2: ['src/sftp', 'src/outbound', 'src/operators'],
	stripe: ['src/gateway/drivers'],
	undici: ['src/outbound'],
	uqr: ['src/portal/factors'],
	// Only files that people write by hand are in YAML.
	yaml: ['src/settings', 'src/relay', 'src/gateway'],
	// Zod may be used everywhere, because schemas stand beside what they describe.
	zod: ['src', 'formats'],
};

const MAX_LINES = 400;

function isUnder(path: string, place: string): boolean {
	return path === place || path.startsWith(`${place}/`);
}

/** Returns the layer of a file. The most specific place decides, so that a file can be in another layer than its folder. */
function layerOf(path: string): { layer: string; rank: number } | undefined {
	const inside = path.replace(/^src\//, '');
	const matches = Object.entries(LAYERS).flatMap(([layer, places], rank) =>
		places.filter((place) => isUnder(inside, place)).map((place) => ({ layer, rank, length: place.length })),
	);
	return matches.sort((a, b) => b.length - a.length)[0];
}

/**
 * Returns the room of a file: `src/card/luhn.ts` is in the room `card`. Each port is a room of its own, and all files of
 * the layer `assembly` are one room.
 */
function roomOf(path: string): string {
	if (PORTS.includes(path)) return path;
	if (layerOf(path)?.layer === 'assembly') return 'assembly';
	const inside = path.replace(/^src\//, '').split('/');
	return inside[0].replace(/\.ts$/, '');
}

const isOurs = (target: string) => target.startsWith('src/') || target.startsWith('formats/');

/** Returns the package of an import: `ssh2/lib/x.js` belongs to `ssh2`, `@a/b/c` to `@a/b`. */
function packageOf(target: string): string {
	return target
		.split('/')
		.slice(0, target.startsWith('@') ? 2 : 1)
		.join('/');
}

test('the source is read: imports of every form are found', (t) => {
	t.true(files.length > 30);
	const mainImports = files.find((file) => file.path === 'src/main.ts')!.imports;
	t.true(mainImports.some(({ target, isLazy }) => target === 'src/commands/serve.ts' && isLazy));
	t.true(mainImports.some(({ target, isType }) => target === 'commander' && !isType));
	const errors = files.find((file) => file.path === 'src/errors.ts')!.imports;
	t.deepEqual(errors, [{ line: 4, target: 'src/transfer/format.ts', isType: true, isLazy: false }]);
});

test('the rules name places that there are', (t) => {
	const places = Object.values(LAYERS)
		.flat()
		.map((place) => (place === 'formats' ? place : `src/${place}`));
	for (const place of [...places, ...Object.values(HOMES).flat(), ...PORTS]) {
		t.true(
			files.some(({ path }) => isUnder(path, place)),
			place,
		);
	}
});

test('every file stands in a layer', (t) => {
	none(
		t,
		files.filter(({ path }) => !layerOf(path)).map(({ path }) => `${path}:1: no layer has this place`),
	);
});

test('dependencies point one way: doors, flows, formats, meaning, facts', (t) => {
	none(
		t,
		importsThat(({ path }, { target }) => {
			if (!isOurs(target)) return;
			const [from, to] = [layerOf(path), layerOf(target)];
			if (!from || !to || from.rank <= to.rank) return;
			return `${from.layer} may not import ${target}, which belongs to ${to.layer}`;
		}),
	);
});

test('rooms of one layer never import each other in a circle', (t) => {
	const edges = new Map<string, Set<string>>();
	const places = new Map<string, string>();
	for (const { path, imports } of files) {
		for (const { target, line } of imports.filter((entry) => isOurs(entry.target))) {
			const [from, to] = [roomOf(path), roomOf(target)];
			if (from === to) continue;
			edges.set(from, (edges.get(from) ?? new Set()).add(to));
			places.set(`${from} -> ${to}`, `${path}:${line}`);
		}
	}
	const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
		[...(edges.get(from) ?? [])].some((next) => next === to || (!seen.has(next) && reaches(next, to, seen.add(next))));
	const circles = [...places].filter(([edge]) => {
		const [from, to] = edge.split(' -> ');
		return reaches(to, from);
	});
	none(
		t,
		circles.map(([edge, place]) => `${place}: ${edge} is part of a circle of rooms`),
	);
});

test('formats know the contract of a format, the card rules and their scanners, nothing else of ours', (t) => {
	const known = ['src/transfer/format.ts', 'src/card', 'formats'];
	none(
		t,
		importsThat(({ path }, { target }) => {
			if (!path.startsWith('formats/') || !isOurs(target)) return;
			return !known.some((place) => isUnder(target, place)) && `a format may not know ${target}`;
		}),
	);
});

test('sftp moves opaque bytes: it knows neither vault nor card nor transfer', (t) => {
	none(
		t,
		importsThat(({ path }, { target }) => {
			const isForbidden = /^(src\/(vault|card|transfer)|formats)\//.test(target);
			return path.startsWith('src/sftp/') && isForbidden && `sftp may not know ${target}`;
		}),
	);
});

test('the card rules know nothing but each other and the platform', (t) => {
	none(
		t,
		importsThat(({ path }, { target }) => {
			const isKnown = target.startsWith('src/card/') || target.startsWith('node:');
			return path.startsWith('src/card/') && !isKnown && `card may not know ${target}`;
		}),
	);
});

/** Scanners read what they find too, the search for numbers outside card fields judges no card, and a network token is none. */
const READS_NO_CARD = /^(formats|src\/card)\/|^src\/transfer\/narrow\.ts$|^src\/http\/routes\/network-token\.ts$/;

test('whether a card is accepted is decided in one file, which every door calls', (t) => {
	const judging = /\bnew NumberReading\(|\b(readCvv|readMonthAndYear|isExpired)\(/;
	none(
		t,
		linesThat(judging, 'cards are read by src/card/read-card.ts', (path) => READS_NO_CARD.test(path)),
	);
	const refusing = /problems\[|\bisExpired\(/;
	const inCard = linesThat(
		refusing,
		'judges',
		(path) => !path.startsWith('src/card/') || path === 'src/card/expiry.ts',
	);
	t.deepEqual([...new Set(inCard.map((line) => line.split(':')[0]))], ['src/card/read-card.ts']);
	const calling = files
		.filter(({ lines }) => lines.some((line) => line.includes('new CardReading(')))
		.map(({ path }) => path);
	t.deepEqual(calling.sort(), [
		...['src/forms/card-fields.ts', 'src/http/batch/card.ts', 'src/http/batch/csv-card.ts'],
		...['src/http/tokens/card-body.ts', 'src/relay/bodies/read-cards.ts', 'src/relay/profile-trial.ts'],
		'src/transfer/card-fields.ts',
	]);
});

test('every third-party package has one home', (t) => {
	none(
		t,
		importsThat(({ path }, { target, isType }) => {
			if (isOurs(target) || target.startsWith('node:') || target === 'package.json') return;
			const homes = HOMES[packageOf(target)];
			if (homes === undefined) return `${packageOf(target)} has no home in the table`;
			// A type of a library may pass through a signature; using the library is what has one home.
			return !isType && !homes.some((home) => isUnder(path, home)) && `the home of ${target} is ${homes.join(', ')}`;
		}),
	);
});

/** Returns the files that are loaded with a file, except those that an `import()` brings later. */
function loadedWith(path: string, seen = new Set<string>()): Set<string> {
	const file = files.find((candidate) => candidate.path === path);
	if (file === undefined || seen.has(path)) return seen;
	seen.add(path);
	for (const { target, isType, isLazy } of file.imports) if (!isType && !isLazy) loadedWith(target, seen);
	return seen;
}

test('commands load rooms when they run, so that --help is quick', (t) => {
	const light =
		/^(node:|(commander|pino|zod|yaml)$|package\.json$|src\/(commands|log|settings|card)\/|src\/(address-range|main|errors|log|secret|settings|lifecycle|operators\/operator-error)\.ts$)/;
	const commands = files.find(({ path }) => path === 'src/main.ts')!.imports.filter(({ isLazy }) => isLazy);
	t.true(commands.length > 2);
	const loaded = ['src/main.ts', ...commands.map(({ target }) => target)].flatMap((path) => [...loadedWith(path)]);
	none(
		t,
		importsThat(({ path }, { target, isType, isLazy }) => {
			const isLoaded = !isType && !isLazy && loaded.includes(path);
			return isLoaded && !light.test(target) && `import ${target} inside the action`;
		}),
	);
});

test('neither a daemon nor its threads load large libraries before they are needed', (t) => {
	const rare = ['@peculiar/x509', '@simplewebauthn/server', 'css-tree', 'stripe', 'undici'];
	const starts = ['src/daemon.ts', 'src/assembly/worker-rooms.ts', 'src/assembly/open-rooms.ts'];
	const loaded = starts.flatMap((path) => [...loadedWith(path)]);
	t.true(loaded.length > 300);
	none(
		t,
		importsThat(({ path }, { target, isType, isLazy }) => {
			const isLoaded = !isType && !isLazy && loaded.includes(path);
			return isLoaded && rare.includes(packageOf(target)) && `import ${target} where it is first used`;
		}),
	);
});

test('commands open the installation where it is asked who runs them', (t) => {
	const ways = ['src/database/open.ts', 'src/keys/key-ring.ts', 'src/audit/audit.ts', 'src/identity/identity.ts'];
	none(
		t,
		importsThat(({ path }, { target, isType }) => {
			// `migrate` is left out, because it brings the tables up to date before operators can be read from them.
			const isCommand = path.startsWith('src/commands/') && path !== 'src/commands/migrate.ts';
			return isCommand && !isType && ways.includes(target) && 'open rooms by src/assembly/open-rooms.ts';
		}),
	);
	none(
		t,
		linesThat(/openDaemonRooms/, 'commands open rooms by openRooms', (path) => !path.startsWith('src/commands/')),
	);
});

test('main.ts lists every command', (t) => {
	const listed = files.find(({ path }) => path === 'src/main.ts')!.imports.map(({ target }) => target);
	const commands = files.filter(
		({ path, lines }) =>
			path.startsWith('src/commands/') && lines.some((line) => line.startsWith('export function register(')),
	);
	none(
		t,
		commands.filter(({ path }) => !listed.includes(path)).map(({ path }) => `${path}:1: not listed in src/main.ts`),
	);
});

test('only stores and the database room hold SQL', (t) => {
	const sql =
		/\.raw\(|\b(knex|transaction|trx)(<[^>]*>)?\(['"`]|['"`]\s*(select\b.*\bfrom|insert into|delete from|update \w+ set)\b/i;
	const isHome = (path: string) => path.endsWith('-store.ts') || path.startsWith('src/database/');
	none(t, linesThat(sql, 'SQL stands in *-store.ts files', isHome));
});

test('settings.ts is the only reader of the environment', (t) => {
	const environment = /\bprocess\.env\b|import \{[^}]*\benv\b[^}]*\} from 'node:process'/;
	none(
		t,
		// The demo hands its own environment on to the programs it starts.
		linesThat(environment, 'take it from the settings', (path) =>
			['src/settings.ts', 'src/assembly/demo.ts'].includes(path),
		),
	);
	none(
		t,
		importsThat(({ path }, { target, isType }) => {
			const isReader =
				path.startsWith('src/settings') ||
				/^src\/(commands\/|assembly\/(open-installation|worker-rooms)\.ts)/.test(path);
			return target === 'src/settings.ts' && !isType && !isReader && 'take the values you need as options';
		}),
	);
});

test('a failure that is about a field has it as data, not in its text', (t) => {
	const named = /\bmoreInfo(:| =)\s*(['`])([\w.@[\]-]|\$\{[^}]*\})+: /;
	// Bodies and selectors are read in threads, from which a failure comes back as text alone.
	const isText = (path: string) => /^src\/relay\/(bodies|selectors)\//.test(path);
	// This file names places in files, which are no fields.
	const isOther = (path: string) => path === 'src/http/server/failures.ts';
	none(
		t,
		linesThat(named, 'give field and problem', (path) => isText(path) || isOther(path)),
	);
});

test('members of a class that are its own begin with #', (t) => {
	const own = /^\s+(private|protected) (?!constructor\b)/;
	none(t, linesThat(own, 'write #'));
});

test('nothing but the command line writes to the terminal', (t) => {
	const isHome = (path: string) => path === 'src/main.ts' || path.startsWith('src/commands/');
	none(t, linesThat(/\bconsole\.|\bprocess\.(stdout|stderr)\b/, 'log it, or let a command show it', isHome));
});

test(`no file is longer than ${MAX_LINES} lines`, (t) => {
	none(
		t,
		files
			.filter(({ lines }) => lines.length > MAX_LINES)
			.map(({ path, lines }) => `${path}:${lines.length}: longer than ${MAX_LINES} lines`),
	);
});

test('names that say nothing are absent, from files and from what is declared', (t) => {
	const empty = 'utils?|helpers?|common|misc|manager|handler|processor|impl';
	const fileName = new RegExp(`(^|[/-])(${empty})(?=[-.])|(^|/)(data|base|types)\\.ts$`);
	const named = files.filter(({ path }) => fileName.test(path)).map(({ path }) => `${path}:1: the name says nothing`);
	const exact = `(?:${empty}|data|base|types)`;
	const suffix = `\\w+(?:Utils?|Helpers?|Manager|Handler|Processor|Impl)`;
	const declared = new RegExp(
		`\\b(?:const|let|function|class|interface|type) (?:${exact}|${suffix})\\b(?=\\s*[=:({<])`,
	);
	none(t, [...named, ...linesThat(declared, 'the name says nothing')]);
});

test('there are no default exports, and no barrel but formats/index.ts', (t) => {
	none(t, linesThat(/^export default\b/, 'export it by name'));
	const lists = [
		'formats/index.ts',
		'src/database/migrations/index.ts',
		'src/pages/languages/index.ts',
		'src/http/portal/texts/index.ts',
	];
	const isList = ({ path }: SourceFile) => lists.includes(path);
	none(
		t,
		files
			.filter((file) => /(^|\/)index\.ts$/.test(file.path) && !isList(file))
			.map(({ path }) => `${path}:1: a barrel`),
	);
});
