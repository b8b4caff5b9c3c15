import test from 'ava';
import fc from 'fast-check';
import { formats } from '../../formats/index.ts';
import { durationText, findDuration } from '../../src/work/routes/document/duration.ts';
import { fillPlaceholders, placeholderProblem } from '../../src/work/routes/document/placeholders.ts';
import {
	MAX_ROUTE_BYTES,
	parseRoute,
	parseStoredRoute,
	RouteError,
	type RouteScope,
} from '../../src/work/routes/document/read-route.ts';
import { letsNumbersOut } from '../../src/work/routes/document/route.ts';
import { routeDocument } from '../../src/work/routes/document/route-document.ts';
import { goesInCircles } from '../../src/work/routes/runs/check-route.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';

const SCOPE: RouteScope = {
	destinations: ['visa', 'bank'],
	folders: ['/srv/incoming'],
	filters: [...formats.keys()],
	keys: { own: ['own'], partner: ['bank'] },
	optionsProblem: (_, options) => ('wrong' in (options as object) ? 'wrong: is not known' : undefined),
};
const LEAST = 'name: n\nfrom: { destination: visa }\ndo: { operation: none }\nto: { destination: bank }\n';
const WHOLE = `
name: nightly-visa
from:
  destination: visa
  path: outbox
  files: ['*.csv', '*.csv.pgp']
  except: '*.old'
  ready: { unchanged: 60s, minAge: 0s, doneFile: '{name}.done', empty: ignore }
  afterwards: { move: 'done/{date:yyyy-MM}' }
  onFailure: { move: failed }
  again: whenChanged
do: { operation: tokenize, filter: GBT, options: { onRefused: mask, saveCVV: false } }
to:
  destination: bank
  path: 'in/{date:yyyy-MM-dd}'
  name: '{stem}-{seq}.{ext}'
  exists: number
  temporaryName: false
  doneFile: '{name}.done'
  checksum: sha256
when: { cron: '30 2 * * 1-5', timeZone: Europe/Berlin }
missed: skip
expect: { files: 2, by: '06:00', days: '1-5', timeZone: Europe/Berlin }
retry: { tries: 3, first: 90s, longest: 1h }
paused: true
`;

/** Returns the paths of the faults of a text, or of the first line if the text itself cannot be read. */
function faultsOf(text: string, scope: RouteScope = SCOPE): Record<string, string | undefined> {
	try {
		parseRoute(text, scope);
		return {};
	} catch (error) {
		if (!(error instanceof RouteError)) throw error;
		return Object.fromEntries(error.faults.map(({ path, rule }) => [path, rule]));
	}
}

test('a document with every member is read, and written again it gives the same route', (t) => {
	const route = parseRoute(WHOLE, SCOPE);
	t.like(route, {
		name: 'nightly-visa',
		from: {
			place: { kind: 'destination', destination: 'visa', path: 'outbox' },
			...{ files: ['*.csv', '*.csv.pgp'], except: ['*.old'], again: 'whenChanged' },
			ready: { unchangedMs: 60_000, minAgeMs: 0, doneFile: '{name}.done', empty: 'ignore' },
			...{ afterwards: { move: 'done/{date:yyyy-MM}' }, onFailure: { move: 'failed' } },
		},
		do: { operation: 'tokenize', filter: 'GBT', options: { onRefused: 'mask', saveCVV: false } },
		to: { exists: 'number', temporaryName: undefined, doneFile: '{name}.done', checksum: 'sha256' },
		...{ when: { cron: '30 2 * * 1-5', timeZone: 'Europe/Berlin' }, missed: 'skip', paused: true },
		expect: { files: 2, byMinutes: 360, days: [1, 2, 3, 4, 5], timeZone: 'Europe/Berlin' },
		retry: { tries: 3, firstMs: 90_000, longestMs: 3_600_000 },
	});
	t.deepEqual(parseRoute(JSON.stringify(routeDocument(route)), SCOPE), route);
});

test('a document with the least members has the defaults that are written down', (t) => {
	const route = parseRoute(LEAST, SCOPE);
	t.deepEqual(routeDocument(route), {
		name: 'n',
		from: {
			destination: 'visa',
			ready: { unchanged: '10s', minAge: '0s', empty: 'alarm' },
			...{ afterwards: 'keep', onFailure: 'keep', again: 'never' },
		},
		do: { ...route.do },
		to: {
			destination: 'bank',
			name: '{name}',
			exists: 'refuse',
			temporaryName: '.{name}.{run}.part',
			checksum: 'none',
		},
		missed: 'run',
		retry: { tries: 8, first: '30s', longest: '1h' },
		paused: false,
	} as never);
	t.deepEqual(parseRoute(JSON.stringify(routeDocument(route)), SCOPE), route);
	t.is(parseRoute(LEAST.replace('destination: visa', 'drop: /tokenized/GBT'), SCOPE).from.ready.unchangedMs, 0);
});

test('every fault of a document is named at once, with its path and place', (t) => {
	const text = `
name: not a name
from: { destination: nobody, path: ../x, files: ['a/b'], ready: { unchangd: 60s, minAge: soon }, afterwards: move }
do: { operation: encode, filter: XYZ }
to: { drop: /reports/GBT, name: '{nam}', doneFile: done, checksum: sha256 }
when: { cron: '61 * * * *', timeZone: Mars/Olympus }
expect: { by: '25:00', days: 8 }
retry: { tries: 0, first: 2h, longest: 1h }
pause: true
`;
	t.deepEqual(faultsOf(text), {
		name: 'expected 1 to 64 letters, digits, hyphens and underscores',
		'from.destination': 'the account has no destination with this name; destination put stores one',
		'from.path': "expected a folder without '..'",
		'from.files[0]': 'expected a pattern of names, without folders: * and ? stand for characters',
		'from.ready.unchangd': 'no such member; perhaps unchanged',
		'from.ready.minAge': 'expected a duration: a number with ms, s, m, h or d, such as 60s, at most 366d',
		'from.afterwards': 'expected keep or delete',
		'do.operation': 'expected tokenize, detokenize or none',
		'do.filter': `expected one of ${SCOPE.filters.join(', ')}`,
		'to.drop':
			'expected a folder as over sFTP: /tokenize/<FILTER>, /tokenized/<FILTER>, /detokenize/<FILTER>, /detokenized/<FILTER>',
		'to.name': '{nam} is not known here; expected {name} {stem} {ext} {seq} {run} {filter} {date:…} {time:…}',
		'to.doneFile': 'expected a name with {name} once and something beside it, such as {name}.done',
		'when.timeZone': 'expected the name of a time zone, such as Europe/Berlin',
		'when.cron': 'expected five fields: minute, hour, day, month and weekday, such as 30 2 * * 1-5',
		'expect.by': "expected a time of the day such as '06:00'",
		'expect.days': 'expected days of the week, 1 for Monday to 7 for Sunday, such as 1-5',
		'retry.tries': 'expected a whole number from 1 to 1000',
		'retry.longest': 'expected at least retry.first',
		pause: 'no such member; perhaps paused',
	});
	const error = t.throws(() => parseRoute(text, SCOPE), { instanceOf: RouteError });
	t.regex(error.message, /line 9, column 1: pause: no such member/);
	t.false(error.message.includes('Olympus'), 'values are not repeated');
});

test('members that are missing or exclude each other are named', (t) => {
	t.deepEqual(Object.keys(faultsOf('paused: false')), ['name', 'from', 'do', 'to']);
	const at = (change: (text: string) => string) => Object.keys(faultsOf(change(LEAST)));
	t.deepEqual(
		at((text) => text.replace('destination: visa', 'destination: visa, drop: /tokenized/GBT')),
		['from'],
	);
	t.deepEqual(
		at((text) => text.replace('{ operation: none }', '{ operation: tokenize }')),
		['do.filter'],
	);
	t.deepEqual(
		at((text) => `${text}when: { every: 15m, arrival: true }`),
		['when'],
	);
	t.deepEqual(
		at((text) => `${text}when: { arrival: true }`),
		['when.arrival'],
	);
	t.deepEqual(
		at((text) => `${text}when: { every: 15m, timeZone: UTC }`),
		['when.timeZone'],
	);
	t.deepEqual(
		at((text) => text.replace('none }', 'tokenize, filter: GBT, options: { wrong: 1 } }')),
		['do.options'],
	);
	t.deepEqual(
		at((text) => text.replace('destination: bank', 'destination: bank, checksum: sha256')),
		['to.checksum'],
	);
	const fromDrop = LEAST.replace('destination: visa', 'drop: /tokenized/GBT, afterwards: { move: done }');
	t.deepEqual(Object.keys(faultsOf(fromDrop)), ['from.afterwards']);
	t.deepEqual(
		at((text) => text.replace('destination: bank', 'drop: /tokenize/GBT, exists: replace')),
		['to.exists'],
	);
});

test('a route that would take up what it delivers is told from others', (t) => {
	const isCircle = (from: string, to: string, work = 'operation: none') =>
		goesInCircles(parseRoute(`name: n\nfrom: { ${from} }\ndo: { ${work} }\nto: { ${to} }\n`, SCOPE));
	const csv = "destination: visa, files: ['*.csv']";
	t.true(isCircle(`${csv}, path: x`, "destination: visa, path: x, name: '{stem}.tokens.csv'"));
	t.true(isCircle('folder: /srv/incoming, path: a/b', 'folder: /srv/incoming/a/, path: b, exists: replace'));
	t.true(isCircle('drop: /tokenized/GBT', 'drop: tokenized/GBT', 'operation: tokenize, filter: GBT'));
	const decrypted = 'operation: none, decrypt: { with: own }';
	t.true(isCircle("destination: visa, files: ['*.csv', '*.csv.pgp']", 'destination: visa', decrypted));
	t.false(isCircle("destination: visa, files: ['*.pgp']", 'destination: visa', decrypted));
	t.false(isCircle(csv, "destination: visa, name: '{stem}.tok'"));
	t.false(isCircle(`${csv}, except: ['tok-*']`, "destination: visa, name: 'tok-{name}'"));
	t.false(isCircle(`${csv}, path: out`, 'destination: visa, path: in'));
	t.false(isCircle(csv, "destination: visa, path: '{date:yyyy}'"));
	t.false(isCircle('drop: /tokenized/GBT', 'drop: /tokenized/CSV'));
});

test('members of OpenPGP are checked, and the keys that they name must be there', (t) => {
	const text = LEAST.replace('none }', 'none, decrypt: { wit: own }, encrypt: { for: [bank], armor: perhaps } }');
	t.deepEqual(faultsOf(text), {
		'do.decrypt.wit': 'no such member; perhaps with',
		'do.decrypt.with': 'is required: the name of an own key of the account',
		'do.encrypt.armor': 'expected true or false',
	});
	const wrong = '{ with: bank, verifiedBy: [mine] }, encrypt: { for: [], signWith: bank, compress: bzip2 }';
	t.deepEqual(faultsOf(LEAST.replace('none }', `none, decrypt: ${wrong} }`)), {
		'do.decrypt.with': 'the account has no such OpenPGP key; expected one of own',
		'do.decrypt.verifiedBy[0]': 'the account has no such OpenPGP key; expected one of own, bank',
		'do.encrypt.for': 'expected the names of the keys of those who may read the file',
		'do.encrypt.signWith': 'the account has no such OpenPGP key; expected one of own',
		'do.encrypt.compress': 'expected none, zip or zlib',
	});
	const tokenize = 'tokenize, filter: GBT, options: { pgp: { accept: true } } }';
	t.deepEqual(faultsOf(LEAST.replace('none }', tokenize)), {
		'do.options.pgp': 'say in do.decrypt and do.encrypt what a route does with OpenPGP messages',
	});
});

test('signatures are demanded of whoever names signers', (t) => {
	const decrypted = (more: string) =>
		parseRoute(LEAST.replace('none }', `none, decrypt: { with: own${more} } }`), SCOPE).do.decrypt;
	t.deepEqual(decrypted(''), { with: 'own', verifiedBy: [], unsigned: 'accept' });
	t.deepEqual(decrypted(', verifiedBy: [bank]'), { with: 'own', verifiedBy: ['bank'], unsigned: 'refuse' });
	t.is(decrypted(', verifiedBy: [bank], unsigned: accept')?.unsigned, 'accept');
});

test('a folder of the server has to be below one that the setting names', (t) => {
	const folder = (path: string, folders: readonly string[] = ['/srv/incoming/']) =>
		faultsOf(LEAST.replace('destination: visa', `folder: ${path}`), { ...SCOPE, folders })['from.folder'];
	t.is(folder('/srv/incoming'), undefined);
	t.is(folder('/srv/incoming/visa/'), undefined);
	t.is(folder('/srv/incoming2'), 'is not below a folder of the setting routes.folders');
	t.is(folder('/srv/incoming/../other'), "expected a folder without '..'");
	t.is(folder('srv'), 'expected the whole path of a folder of the server');
	t.is(folder('/srv/incoming', []), 'no folder of the server is allowed: the setting routes.folders is empty');
});

test('a text that is no document is refused, whatever it is', (t) => {
	for (const text of ['', '[]', 'x', '{', '!tag x', `name: ${'4111111111111111'}`]) {
		const error = t.throws(() => parseRoute(text, SCOPE), { instanceOf: RouteError });
		t.false(error.message.includes('4111111111111111'));
	}
	const anything = fc.property(fc.jsonValue(), (value) => {
		const text = JSON.stringify({ name: 'n', from: value, do: value, to: value, when: value, expect: value });
		t.throws(() => parseRoute(text, SCOPE), { instanceOf: RouteError });
	});
	fc.assert(anything, { numRuns: 200 });
});

test('a route through which card numbers leave is told from others', (t) => {
	const lets = (change: (text: string) => string) => letsNumbersOut(parseRoute(change(LEAST), SCOPE));
	t.false(lets((text) => text));
	t.false(lets((text) => text.replace('none }', 'tokenize, filter: GBT }')));
	t.true(lets((text) => text.replace('none }', 'detokenize, filter: GBT }')));
	t.true(lets((text) => text.replace('destination: visa', 'drop: /detokenized/GBT')));
});

test('placeholders are filled with the parts of a name, and dates in the time zone of the route', (t) => {
	const at = new Date('2026-05-31T22:30:15Z');
	const facts = { name: 'may.csv.gz', seq: 7, run: 'r1', filter: 'GBT', at, timeZone: 'Europe/Berlin' };
	const text = '{name} {stem} {ext} {seq} {run} {filter} {date:yyyy-MM-dd} {time:HH.mm_ss}';
	t.is(placeholderProblem(text), undefined);
	t.is(fillPlaceholders(text, facts), 'may.csv.gz may.csv gz 7 r1 GBT 2026-06-01 00.30_15');
	t.is(fillPlaceholders('{stem}|{ext}', { ...facts, name: '.hidden' }), '.hidden|');
	for (const bad of ['{date}', '{date:YYYY}', '{name:x}', '{', '}', '{}', '{date:yyyy/MM}']) {
		t.truthy(placeholderProblem(bad), bad);
	}
});

test('a duration is written as it is read', (t) => {
	fc.assert(fc.property(fc.integer({ min: 0, max: 366 * 86_400_000 }), (ms) => findDuration(durationText(ms)) === ms));
	for (const bad of ['', '1', '1y', '-1s', '1.5h', '367d', '1 s']) t.is(findDuration(bad), undefined, bad);
});

test('a stored document is read as the text of it is', (t) => {
	for (const text of [WHOLE, LEAST]) {
		const document = JSON.stringify(routeDocument(parseRoute(text, SCOPE)));
		t.deepEqual(parseStoredRoute(document), parseRoute(document));
		t.deepEqual(parseStoredRoute(document), parseRoute(text, SCOPE));
	}
});

test('no document keeps the thread from others, and neither do five hundred that are stored', async (t) => {
	const long = (part: string) => part.repeat((MAX_ROUTE_BYTES - 60) / part.length);
	for (const text of [
		Array.from({ length: 2_000 }, (_, nth) => `${nth}: \n`).join(''),
		`do: ${long('[')}`,
		`do: { options: [${long('1,')}] }`,
		`do: { options: [${long('{},')}] }`,
		`do: { options: [${long('{},').repeat(15)}] }`,
	]) {
		const turn = await bestTurn(async () => void t.throws(() => parseRoute(text, SCOPE), { instanceOf: RouteError }));
		t.true(turn < 2 * MAX_TURN_MS, `${text.slice(0, 20)}: ${turn.toFixed()} ms`);
	}
	const document = JSON.stringify(routeDocument(parseRoute(WHOLE, SCOPE)));
	const turn = await bestTurn(async () => {
		for (let each = 0; each < 500; each++) parseStoredRoute(document);
	});
	t.true(turn < 2 * MAX_TURN_MS, `${turn.toFixed()} ms`);
});
