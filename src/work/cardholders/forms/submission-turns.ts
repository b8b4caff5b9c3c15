/**
 * Returns a function that runs the submissions of one form one after the other within this process, so that a second
 * one finds the result of the first. Submissions of different forms do not wait for each other.
 */
export function submissionTurns<T>() {
	const running = new Map<string, Promise<T>>();
	return async (form: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> => {
		let hasWaited = false;
		for (let before = running.get(form); before !== undefined; before = running.get(form)) {
			hasWaited = true;
			await before.catch(() => {});
		}
		const own = work(hasWaited);
		running.set(form, own);
		try {
			return await own;
		} finally {
			running.delete(form);
		}
	};
}
