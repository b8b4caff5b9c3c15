// Checks the direction of dependencies and the rules of the house by reading the source. A failure names file and line.

import { readdirSync } from 'node:fs';
import test from 'ava';
import { drawMap, layerOf as nameOfLayer, readLayers, readMap } from './helpers/generate-map.ts';
import type { SourceFile } from './helpers/source-files.ts';
import { files, importsThat, linesThat, none } from './helpers/source-rules.ts';

const LAYERS = readLayers();

/** The files of these layers know each other as those of one folder do, also across their folders. */
const ONE_FOLDER = ['commands', 'app', 'installation', 'formats', 'engine', 'vault', 'trail'];

/** The one home of every third-party package: one folder knows a library, the others know that folder. */
const HOMES: Record<string, string[]> = {
	'@fastify/ajv-compiler': ['src/doors/http'],
	'@fastify/compress': ['src/doors/http'],
	'@fastify/swagger': ['src/doors/http'],
	'@fastify/swagger-ui': ['src/doors/http'],
	'@peculiar/x509': ['src/people/identity'],
	'@simplewebauthn/server': ['src/people/portal-users/factors'],
	'@sinclair/typebox': ['src/doors/http'],
	'@zxcvbn-ts/language-common': ['src/people/portal-users'],
	'basic-ftp': ['src/base/outbound/ftps-session.ts'],
	'better-sqlite3': ['src/base/database'],
	commander: ['src/main.ts', 'src/commands', 'src/installation/frame'],
	croner: ['src/work/routes/times'],
	'css-tree': ['src/base/pages'],
	'csv-parse': ['src/work/batch'],
	'csv-stringify': ['src/base/csv.ts'],
	fastify: ['src/doors/http'],
	fontoxpath: ['src/work/relay/selectors'],
	'ipaddr.js': ['src/base/outbound'],
	jose: ['src/people/portal-users/sso'],
	'jsonpath-rfc9535': ['src/work/relay/selectors'],
	knex: ['src/base/database'],
	'node-cron': ['src/doors/schedule/schedule.ts'],
	nodemailer: ['src/base/mail'],
	'openid-client': ['src/people/portal-users/sso'],
	openpgp: ['src/base/openpgp'],
	otpauth: ['src/people/portal-users/factors'],
	pg: ['src/base/database'],
	pkcs11js: ['src/base/keys/providers/pkcs11'],
	pino: ['src/base/log/log.ts'],
	'prom-client': ['src/app/watches/metrics'],
	'reflect-metadata': ['src/people/identity'],
	sax: ['src/doors/http', 'src/work/payments/gateway/drivers'],
	'shamir-secret-sharing': ['src/base/keys'],
	slimdom: ['src/work/relay/selectors'],
	ssh2: ['src/base/ssh'],
	'stream-json': ['src/work/batch'],
	stripe: ['src/work/payments/gateway/drivers'],
	undici: ['src/base/outbound'],
	uqr: ['src/people/portal-users/factors'],
	// Only files that people write by hand are in YAML.
	yaml: ['src/base/settings', 'src/work/relay'],
	// Zod may be used everywhere, because schemas stand beside what they describe.
	zod: ['src', 'formats'],
};

const MAX_LINES = 400;

function isUnder(path: string, place: string): boolean {
	return path === place || path.startsWith(`${place}/`);
}

/** Returns the layer of a file, which is the folder of `src` that it is in, or `formats`. */
function layerOf(path: string): { layer: string; rank: number } | undefined {
	const layer = nameOfLayer(path);
	const rank = LAYERS.indexOf(layer);
	return rank < 0 ? undefined : { layer, rank };
}

/**
 * Returns the folder of a file: `src/base/card/luhn.ts` is in the folder `base/card`. A layer that counts as one folder is
 * taken whole, and a file beside the folders of a layer is a folder of its own.
 */
function folderOf(path: string): string {
	const [layer, folder] = path.replace(/^src\//, '').split('/');
	return folder === undefined || ONE_FOLDER.includes(layer) ? layer : `${layer}/${folder}`;
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
	t.true(mainImports.some(({ target, isLazy }) => target === 'src/commands/installation/serve.ts' && isLazy));
	t.true(mainImports.some(({ target, isType }) => target === 'commander' && !isType));
	const errors = files.find((file) => file.path === 'src/base/errors.ts')!.imports;
	t.deepEqual(errors, []);
});

test('the rules name places that there are, and the map has every place', (t) => {
	for (const place of [
		...Object.values(HOMES).flat(),
		...ONE_FOLDER.map((layer) => layer.replace(/^(?!formats)/, 'src/')),
	]) {
		t.true(
			files.some(({ path }) => isUnder(path, place)),
			place,
		);
	}
	const entries = readdirSync(new URL('../src/', import.meta.url));
	t.deepEqual([...entries, 'formats'].sort(), [...LAYERS].sort());
	t.true(entries.length <= 12, 'the whole of src fits one head');
});

test('the picture of the map shows the layers, folders and imports that there are', (t) => {
	t.is(readMap(), drawMap(), 'npm run generate:map draws it');
});

/** Lists with one file for each item, in which nobody looks for a file by reading all names. */
const LISTS = /\/(migrations|languages)$/;

test('no folder has more files side by side than one can look over', (t) => {
	const folders = Map.groupBy(files, ({ path }) => path.replace(/\/[^/]*$/, ''));
	none(
		t,
		[...folders]
			.filter(([folder, inside]) => inside.length > 22 && !LISTS.test(folder))
			.map(([folder]) => `${folder}:1: too many files side by side`),
	);
});

test('every file stands in a layer', (t) => {
	none(
		t,
		files.filter(({ path }) => !layerOf(path)).map(({ path }) => `${path}:1: no layer has this place`),
	);
});

test('dependencies point one way, down the map', (t) => {
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

test('folders of one layer never import each other in a circle', (t) => {
	const edges = new Map<string, Set<string>>();
	const places = new Map<string, string>();
	for (const { path, imports } of files) {
		for (const { target, line } of imports.filter((entry) => isOurs(entry.target))) {
			const [from, to] = [folderOf(path), folderOf(target)];
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
		circles.map(([edge, place]) => `${place}: ${edge} is part of a circle of folders`),
	);
});

test('formats know the contract of a format, the card rules, the readers of text and their scanners, nothing else of ours', (t) => {
	const known = ['src/engine/format.ts', 'src/base/card', 'src/base/text', 'formats'];
	none(
		t,
		importsThat(({ path }, { target }) => {
			if (!path.startsWith('formats/') || !isOurs(target)) return;
			return !known.some((place) => isUnder(target, place)) && `a format may not know ${target}`;
		}),
	);
});

/** The readers of text, and the reader of delimited files. Only they know how a language is written. */
const READERS = ['src/base/text', 'formats/scan/delimited'];

/**
 * These look at a single byte beside a place that a reader or a rule has found, or for the pieces of web pages that people
 * paste into a value; they read no text by it.
 */
const BESIDE_A_PLACE = [
	'src/base/card/finder/escapes.ts',
	'src/base/card/finder/inner-markup.ts',
	'src/base/card/spelling/expiry-behind.ts',
	'src/base/card/spelling/pasted-blanks.ts',
	'src/base/card/names/cvv-label.ts',
	'src/base/card/spelling/expiry-spelling.ts',
	'src/base/card/finder/divided-groups.ts',
	'src/engine/others/other-findings.ts',
	'src/engine/shapes.ts',
	'src/work/relay/echo.ts',
	'src/work/relay/selectors/text.ts',
	'src/work/relay/selectors/xml/place.ts',
	'src/work/relay/selectors/json/place.ts',
	'formats/scan/markup/field.ts',
];

test('only the readers of text compare a byte with a quote, a brace or "<"', (t) => {
	const isReader = (path: string) => READERS.some((place) => isUnder(path, place));
	const found = linesThat(/(?<![\w.])0x(?:22|27|7b|7d|3c)(?!\w)/, 'a reader of text compares this byte', isReader);
	none(
		t,
		found.filter((each) => !BESIDE_A_PLACE.some((path) => each.startsWith(`${path}:`))),
	);
	// A file that does so no more does not stay in the list.
	none(
		t,
		BESIDE_A_PLACE.filter((path) => !found.some((each) => each.startsWith(`${path}:`))).map(
			(path) => `${path}:1: compares no such byte`,
		),
	);
});

test('sftp moves opaque bytes: it knows neither vault nor card nor transfer', (t) => {
	none(
		t,
		importsThat(({ path }, { target }) => {
			const isForbidden = /^(src\/(vault|base\/card|engine)|formats)\//.test(target);
			return path.startsWith('src/doors/sftp/') && isForbidden && `sftp may not know ${target}`;
		}),
	);
});

test('the card rules know nothing but each other and the platform', (t) => {
	none(
		t,
		importsThat(({ path }, { target }) => {
			const isKnown = target.startsWith('src/base/card/') || target.startsWith('node:');
			return path.startsWith('src/base/card/') && !isKnown && `card may not know ${target}`;
		}),
	);
});

/** Scanners read what they find too, the search for numbers outside card fields judges no card, and a network token is none. */
const READS_NO_CARD =
	/^(formats|src\/base\/card)\/|^src\/engine\/others\/narrow\.ts$|\/routes\/cards\/network-token\.ts$/;

test('whether a card is accepted is decided in one file, which every door calls', (t) => {
	const judging = /\bnew NumberReading\(|\b(readCvv|readMonthAndYear|isExpired)\(/;
	none(
		t,
		linesThat(judging, 'cards are read by src/base/card/read-card.ts', (path) => READS_NO_CARD.test(path)),
	);
	const refusing = /problems\[|\bisExpired\(/;
	const inCard = linesThat(
		refusing,
		'judges',
		(path) => !path.startsWith('src/base/card/') || path === 'src/base/card/expiry.ts',
	);
	t.deepEqual([...new Set(inCard.map((line) => line.split(':')[0]))], ['src/base/card/read-card.ts']);
	const calling = files
		.filter(({ lines }) => lines.some((line) => line.includes('new CardReading(')))
		.map(({ path }) => path);
	t.deepEqual(calling.toSorted(), [
		...['src/doors/http/batch/card.ts', 'src/doors/http/tokens/card-body.ts', 'src/engine/card-fields.ts'],
		...['src/work/batch/row-card.ts', 'src/work/cardholders/forms/card-fields.ts'],
		...['src/work/relay/bodies/read-cards.ts', 'src/work/relay/profiles/profile-trial.ts'],
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

test('commands load other folders when they run, so that --help is quick', (t) => {
	const light =
		/^(node:|(commander|pino|zod|yaml)$|package\.json$|src\/(commands|installation\/frame|base\/(log|settings|card))\/|src\/(main|base\/(errors|lifecycle)|people\/operators\/operator-error)\.ts$)/;
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
	const starts = ['src/app/daemon.ts', 'src/app/worker-parts.ts', 'src/installation/opening/open-parts.ts'];
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
	const ways = [
		'src/base/database/open.ts',
		'src/base/keys/key-ring.ts',
		'src/trail/audit.ts',
		'src/people/identity/identity.ts',
	];
	none(
		t,
		importsThat(({ path }, { target, isType }) => {
			// `migrate` is left out, because it brings the tables up to date before operators can be read from them.
			const isCommand = path.startsWith('src/commands/') && path !== 'src/commands/installation/migrate.ts';
			return (
				isCommand && !isType && ways.includes(target) && 'open its parts by src/installation/opening/open-parts.ts'
			);
		}),
	);
	none(
		t,
		linesThat(
			/openDaemonParts/,
			'commands open their parts by openCommandParts',
			(path) => !path.startsWith('src/commands/'),
		),
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

test('only stores and the database folder hold SQL', (t) => {
	const sql =
		/\.raw\(|\b(queryRows|execute|runSql)(<.*>)?\(|\b(knex|transaction|trx)(<[^>]*>)?\(['"`]|['"`]\s*(select\b.*\bfrom|insert into|delete from|update \w+ set)\b/i;
	const isHome = (path: string) => path.endsWith('-store.ts') || path.startsWith('src/base/database/');
	none(t, linesThat(sql, 'SQL stands in *-store.ts files', isHome));
});

test('knex is used through its public interface only, and SQL text is run in one way', (t) => {
	none(t, [
		...importsThat(
			(_, { target }) => packageOf(target) === 'knex' && target !== 'knex' && `${target} is private to knex`,
		),
		...linesThat(
			/(?<!\w)_[a-z]\w*|\bextends \w*Client\b|\bclient\.(?!(acquire|release)Connection\b|dialect\b|emit\b)\w/,
			'this is private to knex',
			(path) => !path.startsWith('src/base/database/'),
		),
		...linesThat(/\b(acquire|release)Connection\b/, 'src/base/database/sql.ts hands out connections', (path) =>
			/^src\/base\/database\/(sql|plain-transaction)\.ts$/.test(path),
		),
		...linesThat(/\b(await|return) [\w.]+\.raw\(/, 'src/base/database/sql.ts runs SQL text', (path) =>
			path.startsWith('src/base/database/migrations/'),
		),
	]);
});

test('no call of the FTPS client lets a server choose local paths (CVE-2026-27699)', (t) => {
	none(t, linesThat(/\.(downloadToDir|uploadFromDir)\(/, 'the names of a server would be those of files here'));
});

test('pages of the portal hold no SQL, and ask each part through its object', (t) => {
	const isPage = (path: string) => path.startsWith('src/doors/http/portal/pages/');
	none(
		t,
		importsThat(({ path }, { target, isType }) => {
			const isStore = target.endsWith('-store.ts') || /^src\/base\/database\/(?!ids\.ts|ulid\.ts)/.test(target);
			return path.startsWith('src/doors/http/portal/') && isStore && !isType && `ask the part instead of ${target}`;
		}),
	);
	none(
		t,
		linesThat(/\bknex\b|\bdatabase\b(?!\/)/, 'pages know no database', (path) => !isPage(path)),
	);
});

test('a page of the portal names the parts that it needs, five at most', (t) => {
	const pages = files.filter(({ path }) => path.startsWith('src/doors/http/portal/pages/'));
	t.true(pages.length > 20);
	none(
		t,
		pages.flatMap(({ path, lines }) => {
			const text = lines.filter((line) => !line.startsWith('import ')).join('\n');
			const isWhole = /\bPortalParts\b(?!\[|,\s*')/.test(text);
			const picked = [...text.matchAll(/\bPortalParts,\s*([^>]*)>/g)].map(([, names]) => names);
			// The list of all pages hands the parts on, to pages that name theirs.
			const isList = path.endsWith('/all-pages.ts');
			return [
				...(isWhole && !isList ? [`${path}:1: name the parts that it needs`] : []),
				...picked.filter((names) => names.split('|').length > 5).map((names) => `${path}:1: too many parts: ${names}`),
			];
		}),
	);
});

test('settings.ts is the only reader of the environment', (t) => {
	const environment = /\bprocess\.env\b|import \{[^}]*\benv\b[^}]*\} from 'node:process'/;
	none(
		t,
		// The demo hands its own environment on to the programs it starts.
		linesThat(environment, 'take it from the settings', (path) =>
			['src/base/settings/settings.ts', 'src/app/demo/demo.ts'].includes(path),
		),
	);
	none(
		t,
		importsThat(({ path }, { target, isType }) => {
			const isReader =
				path.startsWith('src/base/settings') ||
				/^src\/(commands\/|installation\/frame\/|app\/(open-installation|worker-parts)\.ts)/.test(path);
			return (
				target === 'src/base/settings/settings.ts' && !isType && !isReader && 'take the values you need as options'
			);
		}),
	);
});

test('a failure that is about a field has it as data, not in its text', (t) => {
	const named = /\bmoreInfo(:| =)\s*(['`])([\w.@[\]-]|\$\{[^}]*\})+: /;
	// Bodies and selectors are read in threads, from which a failure comes back as text alone.
	const isText = (path: string) => /^src\/work\/relay\/(bodies|selectors)\//.test(path);
	// This file names places in files, which are no fields.
	const isOther = (path: string) => path === 'src/doors/http/server/failures.ts';
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
	const isHome = (path: string) => path === 'src/main.ts' || /^src\/(commands|installation\/frame)\//.test(path);
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
	const empty = 'utils?|helpers?|common|misc|manager|handler|processor|impl|rooms?';
	const fileName = new RegExp(`(^|[/-])(${empty})(?=[-.])|(^|/)(data|base|types)\\.ts$`);
	const named = files.filter(({ path }) => fileName.test(path)).map(({ path }) => `${path}:1: the name says nothing`);
	const exact = `(?:${empty}|data|base|types)`;
	const suffix = `\\w+(?:Utils?|Helpers?|Manager|Handler|Processor|Impl|Rooms?)`;
	const declared = new RegExp(
		`\\b(?:const|let|function|class|interface|type) (?:${exact}|${suffix})\\b(?=\\s*[=:({<])`,
	);
	none(t, [...named, ...linesThat(declared, 'the name says nothing')]);
});

test('there are no default exports, and no barrel but formats/index.ts', (t) => {
	none(t, linesThat(/^export default\b/, 'export it by name'));
	const lists = ['formats/index.ts', 'src/base/database/migrations/index.ts', 'src/base/pages/languages/index.ts'];
	const isList = ({ path }: SourceFile) => lists.includes(path);
	none(
		t,
		files
			.filter((file) => /(^|\/)index\.ts$/.test(file.path) && !isList(file))
			.map(({ path }) => `${path}:1: a barrel`),
	);
});
