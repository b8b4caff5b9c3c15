const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 366 * UNITS.d;

/** Reads a duration such as `60s` or `15m`, in milliseconds; undefined if the text is none. */
export function findDuration(text: string): number | undefined {
	const [, number, unit] = /^(\d{1,11})(ms|s|m|h|d)$/.exec(text) ?? [];
	if (number === undefined) return undefined;
	const ms = Number(number) * UNITS[unit as keyof typeof UNITS];
	return ms <= LONGEST_MS ? ms : undefined;
}

/** Writes a duration in the largest unit in which it is a whole number. */
export function durationText(ms: number): string {
	const unit = (['d', 'h', 'm', 's'] as const).find((each) => ms >= UNITS[each] && ms % UNITS[each] === 0) ?? 'ms';
	return ms === 0 ? '0s' : `${ms / UNITS[unit]}${unit}`;
}
