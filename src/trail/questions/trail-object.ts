// Says at which places of an entry the things stand that people ask the trail about. What is not among them has to be
// looked for entry by entry.

/** A thing that entries of the trail are about. */
export type TrailObject =
	/** A card, a network token or a data block, by its token. */
	| { readonly kind: 'token'; readonly id: string }
	| { readonly kind: 'job'; readonly id: string }
	/** Files with this name, in whichever folder, and of whichever account the asker may see. */
	| { readonly kind: 'file'; readonly name: string }
	| { readonly kind: 'api-key'; readonly id: number }
	| { readonly kind: 'ssh-key'; readonly id: number }
	/**
	 * Who has a name: users of the portal, of whom there may be several because a name can be given again after its user was
	 * removed, and the operator with it.
	 */
	| { readonly kind: 'person'; readonly ids: readonly number[]; readonly operator?: string }
	| { readonly kind: 'operator'; readonly name: string }
	/** An account of any kind, by its user ID. */
	| { readonly kind: 'account'; readonly userId: string }
	| { readonly kind: 'destination'; readonly name: string }
	| { readonly kind: 'profile'; readonly name: string }
	| { readonly kind: 'card-request'; readonly id: string }
	/** A route, by the user ID of its account, a slash and its name. */
	| { readonly kind: 'route'; readonly id: string }
	/** A call over HTTP, by its `X-Request-Id`. */
	| { readonly kind: 'call'; readonly id: string };

/** Someone who acts, as far as entries name them. */
export type TrailAuthor = Extract<
	TrailObject,
	{ readonly kind: 'api-key' | 'ssh-key' | 'person' | 'operator' | 'account' }
>;

/**
 * The parts of an entry that have an index; `name` is the name of a file, a destination or a profile. An entry is found
 * by its page if it has one, and by its subject otherwise.
 */
export type IndexedPart =
	| 'subject'
	| 'page'
	| 'actor'
	| 'action'
	| 'account'
	| 'otherAccount'
	| 'credential'
	| 'request'
	| 'destination'
	| 'name';

export interface Place {
	readonly part: IndexedPart;
	readonly value: string | number;
	/** Selects only entries about this. */
	readonly subject?: string;
	/** Selects only actions that begin with one of these texts. */
	readonly actions?: readonly string[];
	/** Selects only entries that have `value` as one of these details, which are numbers. */
	readonly numbers?: { readonly names: readonly string[]; readonly value: number };
}

const KEY_ACTIONS = {
	'api-key': { actions: ['api-key.create', 'api-key.rotate', 'api-key.revoke'], names: ['id', 'old', 'new'] },
	'ssh-key': { actions: ['ssh-key.add', 'ssh-key.remove'], names: ['id'] },
} as const;

const subject = (value: string): Place => ({ part: 'subject', value });

/** Returns the places of entries about a card that name the page that has it, for each page to which the token may point. */
export function placesOnPages(token: string, pages: readonly number[]): Place[] {
	return pages.map((page) => ({ part: 'page', value: page, subject: `token ${token}` }));
}

/** Returns the places at which an entry names an author as the one who acted. */
export function placesBy(author: TrailAuthor): Place[] {
	switch (author.kind) {
		case 'account':
			return [{ part: 'actor', value: author.userId }];
		case 'operator':
			return [{ part: 'actor', value: `operator ${author.name}` }];
		case 'person':
			return [
				...author.ids.map((id): Place => ({ part: 'credential', value: `portal-user ${id}` })),
				...(author.operator === undefined ? [] : placesBy({ kind: 'operator', name: author.operator })),
			];
		default:
			return [{ part: 'credential', value: `${author.kind} ${author.id}` }];
	}
}

/** Returns the places at which an entry names a thing, as what it is about or as the one who acted. */
export function placesOf(object: TrailObject): Place[] {
	switch (object.kind) {
		case 'token':
		case 'job':
		case 'card-request':
		case 'route':
			return [subject(`${object.kind} ${object.id}`)];
		case 'call':
			return [{ part: 'request', value: object.id }];
		case 'file':
			return [{ part: 'name', value: object.name, actions: ['file.', 'card.import'] }];
		case 'destination':
			return [
				{ part: 'name', value: object.name, actions: ['destination.'] },
				{ part: 'destination', value: object.name },
			];
		case 'profile':
			return [
				{ part: 'name', value: object.name, actions: ['profile.', 'card.relay'] },
				subject(`profile ${object.name}`),
			];
		case 'account':
			return [...placesBy(object), subject(`account ${object.userId}`)];
		case 'person':
			return [
				...placesBy(object),
				...object.ids.map((id) => subject(`portal-user ${id}`)),
				...(object.operator === undefined ? [] : [subject(`operator ${object.operator}`)]),
			];
		case 'operator':
			return [...placesBy(object), subject(`operator ${object.name}`)];
		default: {
			const { actions, names } = KEY_ACTIONS[object.kind];
			const changes = actions.map((action): Place => {
				return { part: 'action', value: action, numbers: { names, value: object.id } };
			});
			return [...placesBy(object), ...changes];
		}
	}
}
