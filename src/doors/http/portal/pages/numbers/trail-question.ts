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

export type ReaderOf = (call: PortalCall) => TrailReader;

type Person = Extract<TrailObject, { readonly kind: 'person' }>;

/**
 * Finds who has a name that somebody has typed: people, in front of whose names the account may be left out, and the operator
 * as entries name them. Returns undefined if nobody has it.
 */
async function findPerson(readerOf: ReaderOf, call: PortalCall, typed: string): Promise<Person | undefined> {
	const reader = readerOf(call);
	const { account } = call.viewer;
	const names = account ? [typed, nameWithin(account.userId, typed)] : [typed];
	const operator = nameOf(typed).replace(/^operator /, '');
	const [isOperator, ...found] = await Promise.all([
		reader.knowsOperator(operator),
		...[...new Set(names)].map((name) => reader.findPeople(nameOf(name))),
	]);
	const ids = found.flat();
	if (isOperator) return { kind: 'person', ids, operator };
	return ids.length === 0 ? undefined : { kind: 'person', ids };
}

/** Returns who has a name for which the check of its field has found somebody. */
async function getPerson(readerOf: ReaderOf, call: PortalCall, typed: string): Promise<Person> {
	return (await findPerson(readerOf, call, typed)) ?? { kind: 'person', ids: [] };
}

export function trailFilters(readerOf: ReaderOf): readonly Filter[] {
	const aPerson = async (text: string, call: PortalCall) =>
		(await findPerson(readerOf, call, text)) === undefined ? call.say('trail.nobody') : undefined;
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
	const personOf = (typed: string) => getPerson(readerOf, call, typed);
	const { about, name, person, action } = values;
	const { fromMs, toMs } = periodOf(values);
	return {
		about:
			about !== undefined && name !== undefined
				? await objectOf(about as About, name, { personOf, userId: call.viewer.account?.userId })
				: undefined,
		by: person === undefined ? undefined : await personOf(person),
		kinds: action === undefined ? undefined : [action],
		since: fromMs,
		until: toMs && toMs - 1,
	};
}

async function objectOf(
	about: About,
	name: string,
	{ personOf, userId }: { readonly personOf: (typed: string) => Promise<Person>; readonly userId: string | undefined },
): Promise<TrailObject> {
	switch (about) {
		case 'person':
			return personOf(name);
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
