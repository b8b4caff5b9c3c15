// Lists the groups of digits in which card numbers are printed, each as the lengths of its groups in one number.

/** In these groups a number is recognised whatever sign divides them. */
export const USUAL_GROUPS: ReadonlySet<number> = new Set([4444, 465, 464, 44443]);

/** In these groups a number is recognised among other digits. No number of up to 19 digits has the same code in others. */
export const PRINTED_GROUPS: ReadonlySet<number> = new Set([...USUAL_GROUPS, 456, 4333, 4441, 44441, 44442, 67]);

/** A number printed on a card has at most this many groups. */
export const MOST_PRINTED_GROUPS = 5;

/** A number in other groups has at least this many digits, because phone numbers may have 13. */
export const SHORTEST_IN_ODD_GROUPS = 14;
/** The first of such groups has at least this many digits, */
export const LEAST_OF_FIRST_GROUP = 4;
/** and each of the others but the last at least this many. */
export const LEAST_OF_GROUP = 3;

/**
 * If fewer digits than this follow a point, they are the fraction of a decimal number, and the point does not separate
 * groups of one number.
 */
export const MIN_DIGITS_BEHIND_POINT = 3;

/** Returns the code of the groups with these lengths. */
export function codeOfGroups(lengths: ArrayLike<number>, first = 0, after = lengths.length): number {
	let code = 0;
	for (let i = first; i < after; i++) code = code * 10 + lengths[i];
	return code;
}
