import { why } from '../../../base/failures.ts';
import { cronProblem } from '../times/next-run-at.ts';
import { type DocumentReader, onlyOneOf, type Path } from './document-reader.ts';
import type { Expectation, RouteTimes } from './route.ts';

const KINDS = ['cron', 'every', 'arrival'] as const;
const LEAST_EVERY_MS = 1_000;

type TimeZoneReader = (path: readonly string[], value: unknown) => string;

export function readTimes(reader: DocumentReader, value: unknown, timeZone: TimeZoneReader): RouteTimes | undefined {
	if (value === undefined) return undefined;
	const members = reader.members(['when'], value, [...KINDS, 'timeZone']);
	const given = KINDS.filter((kind) => members[kind] !== undefined);
	if (given.length !== 1) {
		reader.fault(['when'], onlyOneOf(given, 'cron, every or arrival'));
		return undefined;
	}
	const zone = timeZone(['when', 'timeZone'], members.timeZone);
	if (given[0] !== 'cron' && members.timeZone !== undefined) {
		reader.fault(['when', 'timeZone'], why('only cron has a time zone: leave timeZone out', 'member-unfit'));
	}
	if (given[0] === 'cron') {
		return { cron: reader.text(['when', 'cron'], members.cron, '0 0 * * *', cronProblem), timeZone: zone };
	}
	if (given[0] === 'every') {
		return { everyMs: reader.duration(['when', 'every'], members.every, LEAST_EVERY_MS, LEAST_EVERY_MS) };
	}
	if (!reader.flag(['when', 'arrival'], members.arrival, true)) {
		const rule = 'expected true; without `when` the route runs only by hand';
		reader.fault(['when', 'arrival'], why(rule, 'not-one-of', { choices: 'true' }));
	}
	return { arrival: true };
}

export function readExpectation(
	reader: DocumentReader,
	value: unknown,
	timeZone: TimeZoneReader,
): Expectation | undefined {
	if (value === undefined) return undefined;
	const members = reader.members(['expect'], value, ['files', 'by', 'days', 'timeZone']);
	const by = reader.text(['expect', 'by'], members.by, '00:00', (text) =>
		/^([01]\d|2[0-3]):[0-5]\d$/.test(text)
			? undefined
			: why("expected a time of the day such as '06:00'", 'time-of-day-malformed'),
	);
	reader.require(['expect', 'by'], members.by, "a time of the day such as '06:00'");
	const [hours, minutes] = by.split(':').map(Number);
	return {
		files: reader.whole(['expect', 'files'], members.files, 1, [1, 1_000_000]),
		byMinutes: hours * 60 + minutes,
		days: readDays(reader, ['expect', 'days'], members.days),
		timeZone: timeZone(['expect', 'timeZone'], members.timeZone),
	};
}

const EVERY_DAY = [0, 1, 2, 3, 4, 5, 6];

/** Reads days of the week as cron writes them: `1-5`, `0,6`; 0 and 7 are Sunday. */
function readDays(reader: DocumentReader, path: Path, value: unknown): readonly number[] {
	const text = reader.text(path, value, '', (given) =>
		given.split(',').every((part) => daysOf(part) !== undefined)
			? undefined
			: why('expected days of the week, 1 for Monday to 7 for Sunday, such as 1-5', 'weekdays-malformed'),
	);
	if (text === '') return EVERY_DAY;
	return [...new Set(text.split(',').flatMap((part) => daysOf(part) ?? []))].sort();
}

function daysOf(part: string): number[] | undefined {
	const [, first, last = first] = /^([0-7])(?:-([0-7]))?$/.exec(part.trim()) ?? [];
	if (first === undefined || Number(last) < Number(first)) return undefined;
	return Array.from({ length: Number(last) - Number(first) + 1 }, (_, nth) => (Number(first) + nth) % 7);
}
