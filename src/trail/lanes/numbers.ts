// Every daemon writes the trail in a lane of its own, so that none waits for another. An entry still has one number, and
// the numbers are one order: of `lanes` lanes, lane n gives the numbers that leave n when divided by `lanes`, each beyond
// all that it sees when its turn begins. An entry that was committed before another began therefore has the smaller
// number, and a trail with one lane has the numbers 1, 2, 3.

/** The row of `audit_head` that has the end of the main chain. */
export const MAIN_ROW = 0;

/** Returns the id of the row of `audit_head` that has the end of a lane. */
export function rowOfLane(lane: number): number {
	return lane + 1;
}

export function laneOfRow(id: number): number {
	return id - 1;
}

/** Returns the least number of a lane that is beyond another number. */
export function nextNumber(lane: number, lanes: number, beyond: number): number {
	const least = beyond + 1;
	return least + ((((lane - least) % lanes) + lanes) % lanes);
}
