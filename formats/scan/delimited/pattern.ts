// Which regular expressions an account may run over every row. V8 backtracks, so a short pattern can take exponential
// time; rather than stop one that is running, those that could are not let in.

/** How much of a row a pattern sees. */
export const MATCHED_BYTES = 128;

/** Ways to go, as a power of two. At 16 the worst pattern costs some tens of milliseconds a row, a usual one nothing. */
const MAX_CHOICE_BITS = 16;

/** Each unbounded repetition may take any length up to what is matched. */
const REPETITION_BITS = Math.log2(MATCHED_BYTES);

/** Whether a pattern is a regular expression that cannot take long: no repeated groups, no back references, few choices. */
export function isCheapPattern(source: string): boolean {
	// One character for each escape, class and kind of group; what is left is structure.
	const bare = source
		.replace(/\\[^1-9k]/g, '_')
		.replace(/\[[^\]]*\]/g, '_')
		.replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(');
	if (/\\|\)(?:[*+]|\{)/.test(bare)) return false;
	return choiceBits(bare) <= MAX_CHOICE_BITS && isRegExp(source);
}

function choiceBits(bare: string): number {
	const alternatives = [1];
	let bits = 0;
	for (const [sign] of bare.matchAll(/[*+?|()]|\{\d+,\d*\}/g)) {
		if (sign === '(') alternatives.push(1);
		else if (sign === '|') alternatives[alternatives.length - 1]++;
		else if (sign === ')') bits += Math.log2(alternatives.pop() ?? 1);
		else bits += sign === '?' ? 1 : REPETITION_BITS;
	}
	return alternatives.reduce((sum, count) => sum + Math.log2(count), bits);
}

function isRegExp(source: string): boolean {
	try {
		new RegExp(source);
		return true;
	} catch {
		return false;
	}
}
