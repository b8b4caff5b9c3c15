/**
 * Waits for work at most `withinMs` milliseconds, and returns what it answers, or `late` if it takes longer. The work goes on
 * then; nobody hears of its end.
 * @throws what the work throws in time
 */
export async function inTime<Answer, Late>(
	work: Answer | Promise<Answer>,
	withinMs: number,
	late: Late,
): Promise<Answer | Late> {
	let timer: NodeJS.Timeout | undefined;
	const tooLate = new Promise<Late>((resolve) => {
		timer = setTimeout(resolve, withinMs, late);
	});
	try {
		return await Promise.race([work, tooLate]);
	} finally {
		clearTimeout(timer);
	}
}
