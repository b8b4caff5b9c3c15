// Computes when a route runs next. It is a pure function of the times and of a moment; what it returns is stored, so that
// several daemons and a restart agree on it.

import { Cron } from 'croner';
import { type Why, why } from '../../../base/failures.ts';
import type { Expectation, RouteTimes } from '../document/route.ts';
import { wallParts } from './wall-clock.ts';

/** A cron pattern, compiled for a time zone. */
interface Compiled {
	readonly whole: Cron;
	/** Single times of the day of which the pattern consists: all of fixed ones, and those of a series that a gap can take in. */
	readonly singles: readonly { readonly cron: Cron; readonly hour: number; readonly minute: number }[];
	/** True if hour and minute are given by number alone, so that a time that comes twice in a night counts once. */
	readonly isFixed: boolean;
}

const compiled = new Map<string, Compiled>();
const MAX_COMPILED = 1_000;

/**
 * Returns the first moment after `after` at which a route runs, or undefined for a route that waits for files. A time that
 * clocks leave out counts as the first moment after the gap; one that they show twice counts once if it is a fixed time,
 * and each time if it is one of a series such as every 30 minutes.
 */
export function nextRunAt(times: RouteTimes, after: Date): Date | undefined {
	if ('arrival' in times) return undefined;
	if ('everyMs' in times) return nextMultiple(after, times.everyMs);
	return nextCronTime(times.cron, times.timeZone, after);
}

/** Returns what is wrong with a cron pattern, or undefined. */
export function cronProblem(pattern: string): Why | undefined {
	const rule = why(
		'expected five fields: minute, hour, day, month and weekday, such as 30 2 * * 1-5',
		'cron-malformed',
	);
	const fields = pattern.trim().split(/\s+/);
	if (fields.length < 5 || fields.length > 6) return rule;
	try {
		return new Cron(pattern, { paused: true }).nextRun() === null
			? why('expected a time that comes', 'time-not-in-future')
			: undefined;
	} catch {
		return rule;
	}
}

/** Multiples of a period are counted from 1970, so that all daemons agree and a restart moves none. */
function nextMultiple(after: Date, everyMs: number): Date {
	return new Date((Math.floor(after.getTime() / everyMs) + 1) * everyMs);
}

function nextCronTime(pattern: string, timeZone: string, after: Date): Date | undefined {
	const { whole, singles, isFixed } = compile(pattern, timeZone);
	const times = isFixed ? [] : [whole.nextRun(after)];
	for (const { cron, hour, minute } of singles) {
		const next = cron.nextRun(after);
		// croner runs a single time that does not exist after the gap, but leaves out one of a list or series. So a series is
		// also looked through for single times that fall into a gap; all its other times are those of the whole pattern.
		if (next && (isFixed || !shows(next, timeZone, hour, minute))) times.push(next);
	}
	const found = times.filter((time) => time !== null).map((time) => time.getTime());
	return found.length === 0 ? undefined : new Date(Math.min(...found));
}

function shows(at: Date, timeZone: string, hour: number, minute: number): boolean {
	const parts = wallParts(at, timeZone);
	return Number(parts.hour) === hour && Number(parts.minute) === minute;
}

function compile(pattern: string, timeZone: string): Compiled {
	const key = `${timeZone} ${pattern}`;
	let found = compiled.get(key);
	if (!found) {
		if (compiled.size === MAX_COMPILED) compiled.clear();
		compiled.set(key, (found = compileAnew(pattern, timeZone)));
	}
	return found;
}

function compileAnew(pattern: string, timeZone: string): Compiled {
	const options = { timezone: timeZone, paused: true };
	const fields = pattern.trim().split(/\s+/);
	const seconds = fields.length === 6 ? [fields.shift()!] : [];
	const [minuteField, hourField, ...days] = fields;
	// A pattern for every hour has a time soon after any gap. One for every second hour would have a hole of four.
	const hours = /^[*?](\/1)?$/.test(hourField) ? [] : numbersOf(hourField, 23);
	const isFixed = !/[*/?]/.test(hourField + minuteField);
	const minutes = numbersOf(minuteField, 59);
	// A gap that takes in a time of a series takes in the first or the last one of its hour.
	const looked = isFixed ? minutes : [...new Set([Math.min(...minutes), Math.max(...minutes)])];
	const singles = hours.flatMap((hour) =>
		looked.map((minute) => {
			const cron = new Cron([...seconds, minute, hour, ...days].join(' '), options);
			return { cron, hour, minute };
		}),
	);
	return { whole: new Cron(pattern, options), singles, isFixed };
}

function numbersOf(field: string, most: number): number[] {
	const numbers = field.split(',').flatMap((part) => {
		const [range, step = '1'] = part.split('/');
		const [from, to] = /^[*?]$/.test(range) ? ['0', String(most)] : range.split('-');
		const last = to ?? (part.includes('/') ? String(most) : from);
		const count = Math.floor((Number(last) - Number(from)) / Number(step)) + 1;
		return Array.from({ length: Math.max(0, count) || 0 }, (_, nth) => Number(from) + nth * Number(step));
	});
	return [...new Set(numbers)].filter((number) => number <= most);
}

const WEEK_MS = 8 * 86_400_000;

/** Returns the next time after `after` by which files are expected, and the one before it, from which files count. */
export function expectedTimes(expect: Expectation, after: Date): { readonly at: number; readonly from: number } {
	const { byMinutes, days, timeZone } = expect;
	const cron = `${byMinutes % 60} ${Math.floor(byMinutes / 60)} * * ${days.join(',')}`;
	const next = (from: Date) => nextRunAt({ cron, timeZone }, from)!;
	const at = next(after);
	let from = next(new Date(at.getTime() - WEEK_MS));
	for (let later = next(from); later < at; later = next(later)) from = later;
	return { at: at.getTime(), from: Math.min(from.getTime(), at.getTime() - 1) };
}
