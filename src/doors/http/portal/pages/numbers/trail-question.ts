// Makes of what is asked of the page of the trail a question to the trail.

import { nameWithin } from '../../../../../people/identity/accounts/user-id.ts';
import { nameOf } from '../../../../../people/portal-users/users.ts';
import type { TrailQuestion, TrailReader } from '../../../../../trail/questions/questions.ts';
import type { TrailObject } from '../../../../../trail/questions/trail-object.ts';
import { findToken } from '../../../../../vault/tokens/token.ts';
import { DAYS, periodOf } from '../../kinds/days.ts';
import type { Asked, Filter } from '../../kinds/list.ts';
import type { PortalCall } from '../../portal-page.ts';

export const ABOUT = [
	...(['token', 'file', 'job', 'person', 'api-key', 'ssh-key', 'destination', 'profile'] as const),
	...(['route', 'card-request', 'account', 'call'] as const),
] satisfies readonly TrailObject['kind'][];
type About = (typeof ABOUT)[number];
const ACTION = /^[a-z0-9-]{1,40}(?:\.[a-z0-9-]{1,40})?$/;
const NUMBER = /^\d{1,15}$/;

/** Gives the reader of the trail that a viewer may use. */
export type ReaderOf = (call: PortalCall) => TrailReader;

/** Finds the people with a name that somebody has typed, who may leave out the account that stands in front of it. */
async function findPeople(readerOf: ReaderOf, call: PortalCall, typed: string): Promise<number[]> {
	const reader = readerOf(call);
	const { account } = call.viewer;
	const names = account ? [typed, nameWithin(account.userId, typed)] : [typed];
	const found = await Promise.all([...new Set(names)].map((name) => reader.findPeople(nameOf(name))));
	return found.flat();
}

/** Returns the fields by which the page of the trail is narrowed. */
export function trailFilters(readerOf: ReaderOf): readonly Filter[] {
	const aPerson = async (text: string, call: PortalCall) =>
		(await findPeople(readerOf, call, text)).length === 0 ? call.say('trail.nobody') : undefined;
	return [
		{
			name: 'about',
			label: 'trail.about',
			choices: ({ say }) => [
				['', say('trail.anything')],
				...ABOUT.map((kind) => [kind, say(`trail.kinds.${kind}`)] as const),
			],
		},
		{
			name: 'name',
			label: 'trail.name',
			type: 'search',
			maxLength: 255,
			autocomplete: 'off',
			check(text, call) {
				const { say, query } = call;
				const about = ABOUT.find((kind) => kind === query.about);
				if (about === undefined) return say('trail.chooseAbout');
				if (about === 'token') return findToken(text) === undefined ? say('trail.noToken') : undefined;
				if (about === 'api-key' || about === 'ssh-key') return NUMBER.test(text) ? undefined : say('trail.noId');
				return about === 'person' ? aPerson(text, call) : undefined;
			},
		},
		{
			name: 'person',
			label: 'trail.person',
			hint: 'trail.personHint',
			maxLength: 255,
			autocomplete: 'off',
			check: aPerson,
		},
		{
			name: 'action',
			label: 'trail.action',
			hint: 'trail.actionHint',
			maxLength: 80,
			autocomplete: 'off',
			check: (text, { say }) => (ACTION.test(text) ? undefined : say('trail.noAction')),
		},
		...DAYS,
	];
}

/** Returns the question, of values that the checks of the fields have passed. */
export async function trailQuestion(
	readerOf: ReaderOf,
	call: PortalCall,
	{ values }: Pick<Asked, 'values'>,
): Promise<TrailQuestion> {
	const idsOf = (typed: string) => findPeople(readerOf, call, typed);
	const { about, name, person, action } = values;
	const { fromMs, toMs } = periodOf(values);
	return {
		about:
			about !== undefined && name !== undefined
				? await objectOf(about as About, name, { idsOf, userId: call.viewer.account?.userId })
				: undefined,
		by: person === undefined ? undefined : { kind: 'person', ids: await idsOf(person) },
		kinds: action === undefined ? undefined : [action],
		since: fromMs,
		until: toMs && toMs - 1,
	};
}

async function objectOf(
	about: About,
	name: string,
	{ idsOf, userId }: { readonly idsOf: (typed: string) => Promise<number[]>; readonly userId: string | undefined },
): Promise<TrailObject> {
	switch (about) {
		case 'person':
			return { kind: about, ids: await idsOf(name) };
		case 'api-key':
		case 'ssh-key':
			return { kind: about, id: Number(name) };
		case 'file':
		case 'destination':
		case 'profile':
			return { kind: about, name };
		case 'route':
			// Operators type the account too, as entries name it.
			return { kind: about, id: userId === undefined || name.includes('/') ? name : `${userId}/${name}` };
		case 'account':
			return { kind: about, userId: name };
		case 'token':
			return { kind: about, id: findToken(name) ?? name };
		default:
			return { kind: about, id: about === 'card-request' ? name : name.toLowerCase() };
	}
}
