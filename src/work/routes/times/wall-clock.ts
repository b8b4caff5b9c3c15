// Reads what clocks on the wall show in a time zone.

const formats = new Map<string, Intl.DateTimeFormat>();
/** More than there are time zones. Their names may be written in any case, so that there is no end of names. */
const MAX_FORMATS = 1_000;

function formatOf(timeZone: string): Intl.DateTimeFormat {
	let format = formats.get(timeZone);
	if (!format) {
		format = new Intl.DateTimeFormat('en-US', {
			timeZone,
			hourCycle: 'h23',
			year: 'numeric',
			month: '2-digit',
			day: '2-digit',
			hour: '2-digit',
			minute: '2-digit',
			second: '2-digit',
		});
		if (formats.size === MAX_FORMATS) formats.clear();
		formats.set(timeZone, format);
	}
	return format;
}

/** Returns what clocks in a time zone show at a moment, with leading zeros. */
export function wallParts(at: Date, timeZone: string) {
	const parts = formatOf(timeZone).formatToParts(at);
	const value = (type: string) => parts.find((part) => part.type === type)!.value;
	return {
		year: value('year').padStart(4, '0'),
		month: value('month'),
		day: value('day'),
		hour: value('hour'),
		minute: value('minute'),
		second: value('second'),
	};
}

/** Returns by how many milliseconds clocks in a time zone are ahead of UTC at a moment. */
export function offsetAt(at: number, timeZone: string): number {
	const second = Math.floor(at / 1_000) * 1_000;
	const { year, month, day, hour, minute, second: seconds } = wallParts(new Date(second), timeZone);
	return Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(seconds)) - second;
}

/** Clocks are never changed twice within so short a time; in Morocco they are put back for a month. */
const STEP_MS = 14 * 86_400_000;

/** Returns the first moment after `from`, and not later than `to`, at which clocks are changed, with their offsets around it. */
export function changeBetween(from: number, to: number, timeZone: string) {
	const before = offsetAt(from, timeZone);
	const isChanged = (at: number) => offsetAt(at, timeZone) !== before;
	for (let low = from; low < to; low += STEP_MS) {
		let high = Math.min(low + STEP_MS, to);
		if (!isChanged(high)) continue;
		while (high - low > 1) {
			const middle = Math.floor((low + high) / 2);
			if (isChanged(middle)) high = middle;
			else low = middle;
		}
		return { at: high, from: before, to: offsetAt(high, timeZone) };
	}
	return undefined;
}

/** Tells whether this runtime knows a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
	try {
		formatOf(name);
		return true;
	} catch {
		return false;
	}
}
