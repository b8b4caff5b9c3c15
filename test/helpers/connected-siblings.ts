import type { Siblings } from '../../src/base/siblings.ts';

/** Returns the ends of several processes that hear each other at once. */
export function connectedSiblings(count: number): Siblings[] {
	const ends = Array.from({ length: count }, () => new Map<string, ((news: never) => void)[]>());
	return ends.map((own) => ({
		tell(topic, news) {
			const heard = JSON.parse(JSON.stringify(news)) as never;
			for (const end of ends) if (end !== own) for (const listener of end.get(topic) ?? []) listener(heard);
		},
		hear: (topic, listener) => void own.set(topic, [...(own.get(topic) ?? []), listener as (news: never) => void]),
	}));
}
