// The page about keys: the age of the keys that are used for sealing now, and the time when each is replaced.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { InstallationView } from '../../../../../people/portal-users/installation.ts';
import { badge, count, table, time } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';

const TONES = { running: 'good', soon: 'busy', due: 'bad' } as const;
/**
 * At most this many keys are shown, beginning with those that end first: an installation with many accounts has many
 * keys.
 */
const MOST_KEYS = 200;

export async function keysBody({ texts, language }: PortalCall, installation: InstallationView): Promise<Html> {
	const words = texts.numbers.installation.keys;
	const { active, superseded } = await installation.keys();
	const number = (value: number) => count(value, language);
	const sorted = active.toSorted(
		(one, other) => (one.endsAtMs ?? Infinity) - (other.endsAtMs ?? Infinity) || one.id - other.id,
	);
	const rows = sorted
		.slice(0, MOST_KEYS)
		.map(({ purpose, account, generation, ageDays, endsAtMs, term, seals }) => [
			...[purpose, account ?? words.all, number(generation), number(ageDays)],
			endsAtMs === null ? words.never : html`${time(endsAtMs, language)} ${badge(TONES[term], words.terms[term])}`,
			number(seals),
		]);
	const head = [words.purpose, words.account, words.generation, words.age, words.ends, words.seals];
	return html`${table({ caption: words.caption, head, rows })}<p>${words.superseded.replace('{count}', number(superseded))}</p>
`;
}
