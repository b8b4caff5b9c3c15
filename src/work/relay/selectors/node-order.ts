/** Sorts node numbers and removes duplicates, in place; usually they are already sorted and unique. */
export function sortOnce(found: number[]): void {
	let isSorted = true;
	for (let i = 1; i < found.length && isSorted; i++) isSorted = found[i - 1] < found[i];
	if (isSorted) return;
	found.sort((a, b) => a - b);
	let kept = 0;
	for (const value of found) if (kept === 0 || found[kept - 1] !== value) found[kept++] = value;
	found.length = kept;
}
