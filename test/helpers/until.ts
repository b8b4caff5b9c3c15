import { setTimeout as sleep } from 'node:timers/promises';
import { patient } from './patience.ts';

/**
 * Asks again and again until there is an answer.
 * @throws an error with `what` if there is none in time
 */
export async function until<Answer>(
	what: string,
	ask: () => Promise<Answer | undefined | false> | Answer | undefined | false,
	{ withinMs = patient(40_000), everyMs = 20 } = {},
): Promise<Answer> {
	const deadline = performance.now() + withinMs;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined && answer !== false) return answer;
		if (performance.now() > deadline) throw new Error(`not within ${withinMs} ms: ${what}`);
		await sleep(everyMs);
	}
}
