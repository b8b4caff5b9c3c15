// The nights in which clocks change, and every other time at which a route runs.

import test from 'ava';
import fc from 'fast-check';
import { cronProblem, nextRunAt } from '../../src/work/routes/times/next-run-at.ts';
import { isTimeZone, wallParts } from '../../src/work/routes/times/wall-clock.ts';
import { processorTime } from '../helpers/processor-time.ts';

/** Returns the next moments of a pattern, as `month-dayThour:minute` in UTC. */
function runs(cron: string, timeZone: string, from: string, count: number): string[] {
	const found: string[] = [];
	let at = new Date(from);
	while (found.length < count) {
		at = nextRunAt({ cron, timeZone }, at)!;
		found.push(at.toISOString().slice(5, 16));
	}
	return found;
}

const BERLIN = 'Europe/Berlin';
const LORD_HOWE = 'Australia/Lord_Howe';

for (const [title, [cron, timeZone, from], expected] of [
	[
		'a time that does not exist runs at the first moment after the gap',
		['30 2 * * *', BERLIN, '2027-03-27T12:00Z'],
		['03-28T01:00', '03-29T00:30'],
	],
	[
		'a fixed time that comes twice runs once, at first',
		['30 2 * * *', BERLIN, '2026-10-24T12:00Z'],
		['10-25T00:30', '10-26T01:30'],
	],
	[
		'a series has no hole in the hour that comes twice',
		['*/30 * * * *', BERLIN, '2026-10-24T23:29Z'],
		['10-24T23:30', '10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30', '10-25T02:00'],
	],
	[
		'a series runs on after the gap',
		['*/30 * * * *', BERLIN, '2027-03-28T00:15Z'],
		['03-28T00:30', '03-28T01:00', '03-28T01:30'],
	],
	[
		'every hour is every hour',
		['0 * * * *', BERLIN, '2026-10-24T22:30Z'],
		['10-24T23:00', '10-25T00:00', '10-25T01:00', '10-25T02:00'],
	],
	[
		'a series within the hour that does not exist runs once after it',
		['*/30 2 * * *', BERLIN, '2027-03-27T12:00Z'],
		['03-28T01:00', '03-29T00:00', '03-29T00:30'],
	],
	[
		'of every second hour, the one that does not exist runs after the gap',
		['30 */2 * * *', BERLIN, '2027-03-27T22:00Z'],
		['03-27T23:30', '03-28T01:00', '03-28T02:30', '03-28T04:30'],
	],
	[
		'of hours with a step, the one that does not exist runs after the gap',
		['0 2-6/2 * * *', BERLIN, '2027-03-27T12:00Z'],
		['03-28T01:00', '03-28T02:00', '03-28T04:00', '03-29T00:00'],
	],
	[
		'every second hour is a series, and runs each time in the hour that comes twice',
		['30 */2 * * *', BERLIN, '2026-10-24T21:00Z'],
		['10-24T22:30', '10-25T00:30', '10-25T01:30', '10-25T03:30'],
	],
	[
		'a series within the hour that comes twice runs each time',
		['*/30 2 * * *', BERLIN, '2026-10-24T12:00Z'],
		['10-25T00:00', '10-25T00:30', '10-25T01:00', '10-25T01:30', '10-26T01:00'],
	],
	[
		'several fixed minutes in the gap are one run after it',
		['15,45 2 * * *', BERLIN, '2027-03-27T12:00Z'],
		['03-28T01:00', '03-29T00:15', '03-29T00:45'],
	],
	[
		'several fixed minutes run once in the hour that comes twice',
		['15,45 2 * * *', BERLIN, '2026-10-24T12:00Z'],
		['10-25T00:15', '10-25T00:45', '10-26T01:15'],
	],
	[
		'of several fixed hours only the one in the gap moves',
		['30 1,2,3 * * *', BERLIN, '2027-03-27T12:00Z'],
		['03-28T00:30', '03-28T01:00', '03-28T01:30', '03-28T23:30'],
	],
	[
		'of a range of hours none runs twice',
		['30 1-3 * * *', BERLIN, '2026-10-24T12:00Z'],
		['10-24T23:30', '10-25T00:30', '10-25T02:30', '10-26T00:30'],
	],
	['weekdays are those of the time zone', ['30 0 * * 1', BERLIN, '2026-05-30T12:00Z'], ['05-31T22:30', '06-07T22:30']],
	['half an hour forward', ['15 2 * * *', LORD_HOWE, '2026-10-02T20:00Z'], ['10-03T15:30', '10-04T15:15']],
	[
		'half an hour back: a fixed time runs once',
		['45 1 * * *', LORD_HOWE, '2027-04-02T20:00Z'],
		['04-03T14:45', '04-04T15:15'],
	],
	[
		'half an hour back: a series runs each time',
		['*/15 * * * *', LORD_HOWE, '2027-04-03T14:10Z'],
		['04-03T14:15', '04-03T14:30', '04-03T14:45', '04-03T15:00', '04-03T15:15'],
	],
	[
		'without a time zone of its own, clocks never change',
		['30 2 * * *', 'UTC', '2027-03-27T12:00Z'],
		['03-28T02:30', '03-29T02:30'],
	],
] as const) {
	test(`${title}: ${cron} in ${timeZone}`, (t) => {
		t.deepEqual(runs(cron, timeZone, from, expected.length), [...expected]);
	});
}

test('a period is counted from 1970, whenever it is asked for', (t) => {
	const next = (everyMs: number, after: string) => nextRunAt({ everyMs }, new Date(after))!.toISOString();
	t.is(next(900_000, '2026-05-31T10:07:31Z'), '2026-05-31T10:15:00.000Z');
	t.is(next(900_000, '2026-05-31T10:15:00Z'), '2026-05-31T10:30:00.000Z');
	t.is(nextRunAt({ arrival: true }, new Date()), undefined);
});

test('a next run is later than the moment that is asked about, and shows a time of the pattern or follows a gap', (t) => {
	const zone = fc.constantFrom(BERLIN, LORD_HOWE, 'America/New_York', 'Asia/Kathmandu', 'UTC');
	const moment = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2028, 0) });
	const pair = fc.record({ minute: fc.nat(59), hour: fc.nat(23), timeZone: zone, moment });
	const holds = fc.property(pair, ({ minute, hour, timeZone, moment }) => {
		const next = nextRunAt({ cron: `${minute} ${hour} * * *`, timeZone }, new Date(moment))!;
		t.true(next.getTime() > moment && next.getTime() <= moment + 25.5 * 3_600_000);
		const shown = wallParts(next, timeZone);
		const wanted = hour * 60 + minute;
		const late = (Number(shown.hour) * 60 + Number(shown.minute) - wanted) * 60_000;
		// After a gap, clocks show a later time, and a moment before they showed one before the wanted time.
		const before = wallParts(new Date(next.getTime() - 60_000), timeZone);
		return late === 0 || (late > 0 && Number(before.hour) * 60 + Number(before.minute) < wanted);
	});
	fc.assert(holds, { numRuns: 300 });
});

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at).join(',');

test('a pattern that lists every number costs as little as any other', (t) => {
	for (const days of ['* * *', '29 2 *', '31 12 *', '* * 1#5']) {
		const cron = `${numbers(60)} ${numbers(24)} ${days}`;
		t.is(cronProblem(cron), undefined);
		for (const timeZone of [BERLIN, LORD_HOWE]) {
			const times = [0, 1, 2].map((hour) =>
				processorTime(() => nextRunAt({ cron, timeZone }, new Date(Date.UTC(2026, 10, 29, hour)))),
			);
			t.true(Math.max(...times) < 60, `${cron.slice(-8)}: ${times} ms`);
		}
	}
	t.is(cronProblem(`${numbers(60)} ${numbers(60)} ${numbers(24)} * * ${numbers(7)}`), undefined);
	for (const long of [`0 0 ${'1,'.repeat(7_000)}1 * *`, `${'0-59,'.repeat(2_000)}0 0 * * *`]) {
		const time = processorTime(() => t.truthy(cronProblem(long)));
		t.true(time < 10, `${time} ms`);
	}
});

test('time zones whose names are written in another way are not remembered without end', (t) => {
	const { DateTimeFormat } = Intl;
	let made = 0;
	t.teardown(() => void (Intl.DateTimeFormat = DateTimeFormat));
	Intl.DateTimeFormat = new Proxy(DateTimeFormat, {
		construct: (target, given) => {
			made++;
			return new target(...given);
		},
	});
	const madeFor = (name: string) => {
		const before = made;
		t.true(isTimeZone(name));
		return made - before;
	};
	t.is(madeFor('Asia/Tokyo'), 1);
	t.is(madeFor('Asia/Tokyo'), 0);
	for (let number = 0; number < 2_048; number++) {
		const signs = [...'asia/kathmandu'].map((sign, at) => ((number >> at) & 1 ? sign.toUpperCase() : sign));
		madeFor(signs.join(''));
	}
	t.is(madeFor('Asia/Tokyo'), 1);
});

test('what is no cron pattern is refused', (t) => {
	for (const good of ['30 2 * * 1-5', '*/15 8-18 * * *', '0 0 1 1 *', '*/5 * * * * *'])
		t.is(cronProblem(good), undefined);
	for (const bad of ['', '* * * *', '61 * * * *', '@daily', 'a b c d e', '* * * * * * *', '0 0 31 2 *']) {
		t.truthy(cronProblem(bad), bad);
	}
});
