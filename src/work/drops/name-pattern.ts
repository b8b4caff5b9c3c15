/**
 * Returns a function that tells whether a name fits a pattern, in which `*` stands for any characters, and the sign `single`
 * for exactly one. Whoever has an account may write a pattern, so the time is at most that of comparing each character of
 * the name with each of the pattern: each part is looked for at the first place where it can be, which leaves most for the
 * parts behind it. A regular expression would try all places of all parts.
 */
export function namePattern(pattern: string, single?: '?'): (name: string) => boolean {
	const [first, ...rest] = pattern.split('*').map((part) => [...part]);
	const last = rest.pop();
	const isAt = (part: readonly string[], signs: readonly string[], at: number) =>
		at + part.length <= signs.length && part.every((sign, nth) => sign === signs[at + nth] || sign === single);
	return (name) => {
		const signs = [...name];
		if (!isAt(first, signs, 0)) return false;
		if (last === undefined) return signs.length === first.length;
		let from = first.length;
		for (const part of rest) {
			while (!isAt(part, signs, from)) if (++from > signs.length) return false;
			from += part.length;
		}
		const end = signs.length - last.length;
		return end >= from && isAt(last, signs, end);
	};
}
