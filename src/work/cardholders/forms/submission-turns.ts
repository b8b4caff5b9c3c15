import { Turns } from '../../../base/threads/turns.ts';

/**
 * Returns a function that runs the submissions of one form one after the other within this process, so that a second
 * one finds the result of the first. Submissions of different forms do not wait for each other.
 */
export function submissionTurns<T>() {
	const forms = new Map<string, { readonly turns: Turns; submissions: number }>();
	return async (form: string, work: (hasWaited: boolean) => Promise<T>): Promise<T> => {
		const own = forms.get(form) ?? { turns: new Turns(), submissions: 0 };
		forms.set(form, own);
		const hasWaited = own.submissions++ > 0;
		try {
			return await own.turns.run(() => work(hasWaited));
		} finally {
			if (--own.submissions === 0) forms.delete(form);
		}
	};
}
