// Tests that whatever is wrong with the document of a route, the refusal names the member and says what to write there.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import { parseRoute, RouteError, type RouteScope } from '../../src/work/routes/document/read-route.ts';

const SCOPE: RouteScope = {
	destinations: ['visa', 'bank'],
	folders: ['/srv/incoming'],
	filters: [...formats.keys()],
	keys: { own: ['own'], partner: ['bank'] },
	optionsProblem: (_, options) =>
		'wrong' in (options as object) ? 'wrong: expected one that the format has' : undefined,
};
type Members = Record<string, unknown>;

/** A document that has every member, in which one place after the other is made wrong. */
const WHOLE = {
	name: 'nightly-visa',
	from: {
		destination: 'visa',
		path: 'outbox',
		files: ['*.csv'],
		except: ['*.old'],
		ready: { unchanged: '60s', minAge: '0s', doneFile: '{name}.done', empty: 'ignore' },
		afterwards: { move: 'done/{date:yyyy-MM}' },
		onFailure: { move: 'failed' },
		again: 'whenChanged',
	},
	do: {
		operation: 'tokenize',
		filter: 'GBT',
		options: { onRefused: 'mask' },
		decrypt: { with: 'own', verifiedBy: ['bank'], unsigned: 'refuse' },
		encrypt: { for: ['bank'], signWith: 'own', armor: 'false', compress: 'zip' },
	},
	to: {
		destination: 'bank',
		path: 'in/{date:yyyy-MM-dd}',
		name: '{stem}.csv',
		exists: 'number',
		temporaryName: '.{name}.{run}.part',
		doneFile: '{name}.done',
		checksum: 'sha256',
	},
	when: { cron: '30 2 * * 1-5', timeZone: 'Europe/Berlin' },
	missed: 'skip',
	expect: { files: 2, by: '06:00', days: '1-5', timeZone: 'Europe/Berlin' },
	retry: { tries: 3, first: '90s', longest: '1h' },
	paused: true,
};
/** Whatever is written in the place of a member. `undefined` leaves it out. */
const INSTEAD: readonly unknown[] = [
	...[undefined, '', 'x y/z', 'nobody', '{', '{unknown}', '{name:yyyy}', '{date}', '../up', '/nowhere/GBT', '/tmp'],
	...['4111111111111111', 'a\u0007b', 'x'.repeat(2_000), 0, -1, 1e12, true, [], [''], ['a/b', 'nobody'], {}],
	...[{ wrong: 1 }, { move: '' }, { cron: '99 * * * *' }, { every: 'x' }, { every: '1ms' }, { arrival: 'no' }],
	...[{ arrival: true, timeZone: 'UTC' }, { cron: '* * * * *', every: '1h' }, { pgp: {} }, { drop: '/tokenized/GBT' }],
	...[{ folder: 'srv' }, { folder: '/tmp', drop: '/tokenized/GBT' }, { drop: '/tokenized/XYZ' }],
];
/** Words by which a rule says what to write, or to leave something out. */
const SAYS_WHAT =
	/expected |is required: |perhaps |one of |leave |: give |: say |say in |may not hold control characters|routes\.folders|such as |: cron, every or arrival$|: a destination, a drop or a folder$|make or import one|destination put stores one|needs a pattern of |has no folders|a drop needs none/;

/** Returns the paths of all members of a value. */
function* pathsOf(value: unknown, path: readonly string[] = []): Generator<readonly string[]> {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
	for (const [name, inner] of Object.entries(value)) {
		yield [...path, name];
		yield* pathsOf(inner, [...path, name]);
	}
}

function changed(path: readonly string[], instead: unknown): object {
	const document = structuredClone(WHOLE) as Members;
	let at = document;
	for (const name of path.slice(0, -1)) at = at[name] as Members;
	if (instead === undefined) delete at[path.at(-1)!];
	else at[path.at(-1)!] = instead;
	return document;
}

test('every refusal of a document names the member and says what to write', (t) => {
	t.truthy(parseRoute(JSON.stringify(WHOLE), SCOPE));
	const seen = new Set<string>();
	const check = (document: object, scope = SCOPE) => {
		try {
			parseRoute(JSON.stringify(document), scope);
		} catch (error) {
			if (!(error instanceof RouteError)) throw error;
			for (const { path, rule } of error.faults) {
				t.not(path, '', rule);
				t.regex(rule, SAYS_WHAT, `${path}: ${rule}`);
				seen.add(rule);
			}
		}
	};
	for (const path of pathsOf(WHOLE)) for (const instead of INSTEAD) check(changed(path, instead));
	check({ ...WHOLE, form: {} });
	const drop = { drop: '/tokenized/GBT' };
	for (const more of [{ path: 'x' }, { afterwards: { move: 'x' } }, { onFailure: { move: 'x' } }])
		check({ ...WHOLE, from: { ...drop, ...more } });
	for (const more of [{ doneFile: '{name}.done' }, { exists: 'replace' }, { path: 'x' }])
		check({ ...WHOLE, to: { drop: '/tokenize/GBT', ...more } });
	check({ ...WHOLE, from: drop, do: { operation: 'none' }, to: drop });
	check({ ...WHOLE, do: { operation: 'none', options: {} } });
	check({ ...WHOLE, from: { folder: '/srv/incoming' } }, { ...SCOPE, folders: [], keys: { own: [], partner: [] } });
	t.true(seen.size > 40, `${seen.size} rules were met`);
});
