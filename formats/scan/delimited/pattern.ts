// Decides which regular expressions an account may run over every row. V8 backtracks, so even a short pattern can take
// exponential time. A running match cannot be stopped, so slow patterns are refused.

/** A pattern is matched only against this many bytes at the beginning of a row. */
export const MATCHED_BYTES = 128;

/**
 * The largest number of ways in which a pattern may match a text, as an exponent of two. At 16 the worst pattern takes
 * some tens of milliseconds a row, and a usual one next to nothing.
 */
const MAX_CHOICE_BITS = 16;

/**
 * The number of ways in which a repetition without an upper bound can match, as an exponent of two: one way for every
 * length up to that of the matched text.
 */
const REPETITION_BITS = Math.log2(MATCHED_BYTES);

/**
 * Tells whether a pattern is a regular expression that cannot take long: it has no repeated groups, no back references
 * and few choices.
 */
export function isCheapPattern(source: string): boolean {
	// Each escape and each character class is replaced by one character, and each kind of group by a plain one. Only the
	// signs that give the pattern its structure remain.
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
