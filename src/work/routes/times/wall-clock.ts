// Reads what clocks on the wall show in a time zone.

/** The parts of a time as clocks in a time zone show them, with leading zeros. */
export interface WallParts {
	readonly year: string;
	readonly month: string;
	readonly day: string;
	readonly hour: string;
	readonly minute: string;
	readonly second: string;
}

const formats = new Map<string, Intl.DateTimeFormat>();

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
		formats.set(timeZone, format);
	}
	return format;
}

/** Returns what clocks in a time zone show at a moment. */
export function wallParts(at: Date, timeZone: string): WallParts {
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

/** Tells whether this runtime knows a time zone, such as `Europe/Berlin`. */
export function isTimeZone(name: string): boolean {
	try {
		formatOf(name);
		return true;
	} catch {
		return false;
	}
}
