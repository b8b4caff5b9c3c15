// Computes when a route runs next. It is a pure function of the times and of a moment; what it returns is stored, so that
// several daemons and a restart agree on it.

import { Cron } from 'croner';
import { type Why, why } from '../../../base/failures.ts';
import type { Expectation, RouteTimes } from '../document/route.ts';
import { changeBetween, offsetAt } from './wall-clock.ts';

/** A cron pattern, compiled for clocks that never change. */
interface Compiled {
	readonly cron: Cron;
	/** True if hour and minute are given by number alone, so that a time that comes twice in a night counts once. */
	readonly isFixed: boolean;
	/** A pattern for every hour has a time soon after any gap. One for every second hour would have a hole of four. */
	readonly isHourly: boolean;
}

const compiled = new Map<string, Compiled>();
const MAX_COMPILED = 1_000;
/** What clocks show is handled as if it were a time in UTC, where none is left out and none comes twice. */
const ON_WALL = { timezone: 'UTC', paused: true };
/** Nowhere do clocks go back by more than this. */
const LONGEST_REPEATED_MS = 3 * 3_600_000;
/** More than a pattern that lists every number of its fields. */
const MAX_CHARACTERS = 600;

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
	if (pattern.length > MAX_CHARACTERS) return why(`expected at most ${MAX_CHARACTERS} characters`, 'cron-malformed');
	const fields = pattern.trim().split(/\s+/);
	if (fields.length < 5 || fields.length > 6) return rule;
	try {
		return new Cron(pattern, ON_WALL).nextRun() === null
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

/**
 * Looks for the next time that clocks show, as if they never changed, and then whether they do before that. Only a time
 * that falls into a gap or comes twice differs from what they show.
 */
function nextCronTime(pattern: string, timeZone: string, after: Date): Date | undefined {
	const { cron, isFixed, isHourly } = compile(pattern);
	let from = after.getTime();
	let shown = from + offsetAt(from, timeZone);
	const last = isFixed ? changeBetween(from - LONGEST_REPEATED_MS, from, timeZone) : undefined;
	if (last && last.to < last.from) shown = Math.max(shown, last.at + last.from - 1);
	for (;;) {
		const next = cron.nextRun(new Date(shown))?.getTime();
		if (next === undefined) return undefined;
		const time = next - offsetAt(from, timeZone);
		const change = changeBetween(from, time, timeZone);
		if (change === undefined) return new Date(time);
		const isInGap = next < change.at + change.to;
		if (isInGap && !isHourly) return new Date(change.at);
		const goesBack = change.to < change.from;
		shown = change.at + (goesBack && isFixed ? change.from : change.to) - 1;
		from = change.at;
	}
}

function compile(pattern: string): Compiled {
	let found = compiled.get(pattern);
	if (!found) {
		if (compiled.size === MAX_COMPILED) compiled.clear();
		const [minutes, hours] = pattern.trim().split(/\s+/).slice(-5);
		const isFixed = !/[*/?]/.test(hours + minutes);
		const isHourly = /^[*?](\/1)?$/.test(hours);
		compiled.set(pattern, (found = { cron: new Cron(pattern, ON_WALL), isFixed, isHourly }));
	}
	return found;
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
