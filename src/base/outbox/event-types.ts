// Lists the types of events with what their data consist of. The descriptions for callers, the examples
// and the checks of tests are made from this list.

export interface EventMember {
	readonly type: 'string' | 'integer';
	readonly description: string;
	readonly example: string | number | null;
	readonly isNullable?: true;
	readonly isOptional?: true;
}

export interface EventType {
	readonly summary: string;
	readonly members: Readonly<Record<string, EventMember>>;
}

const text = (description: string, example: string): EventMember => ({ type: 'string', description, example });
const count = (description: string, example: number): EventMember => ({ type: 'integer', description, example });
const orNull = (member: EventMember): EventMember => ({ ...member, isNullable: true });
/** Gives members other examples, so that those of a type fit together. */
const showing = <Name extends string>(
	members: Readonly<Record<Name, EventMember>>,
	examples: Partial<Record<NoInfer<Name>, EventMember['example']>>,
): Readonly<Record<Name, EventMember>> => {
	const shown = Object.entries<EventMember>(members).map(([name, member]) => {
		return [name, { ...member, example: examples[name as Name] ?? member.example }];
	});
	return Object.fromEntries(shown);
};
const optional = (member: EventMember): EventMember => ({ ...member, isOptional: true });

const ACCOUNT = { account: text('The user id of the account.', 'agency') };
const JOB = {
	...ACCOUNT,
	job: text('The id of the job.', '01jv6q8z6m4w2k0h9d3f7s5xap'),
	operation: text('`tokenize` or `detokenize`.', 'tokenize'),
	filter: text('The format, as folders are named.', 'GBT'),
	name: text('The name of the file. Digits of a card number in it are masked.', 'may.csv'),
};
const ROUTE = { ...ACCOUNT, route: text('The name of the route.', 'nightly-visa') };
const RUN = { ...ROUTE, run: text('The id of the run.', '01jv6q8z6m4w2k0h9d3f7s5xaq') };
const RUN_END = {
	...RUN,
	outcome: text('`done`, `partly`, `failed` or `stopped`.', 'done'),
	delivered: count('Files that were delivered.', 3),
	failed: count('Files that wait for another try.', 0),
	dead: count('Files that were given up.', 0),
	reason: { ...orNull(text('Why the run could not go on.', '')), example: null },
};
const BROKEN_OFF = { delivered: 0, outcome: 'failed', reason: 'host: the connection was refused' };
const REQUEST = {
	...ACCOUNT,
	request: text('The id of the card request.', '01jv6q8z6m4w2k0h9d3f7s5xar'),
	kind: text('`card` or `cvv`.', 'card'),
	reference: text('The reference of the card request. Digits of a card number in it are masked.', 'booking-4711'),
};
const ALLOWANCE = {
	...ACCOUNT,
	used: count('Units that are used.', 8_000),
	limit: count('Units that the account has.', 10_000),
};
const EXPIRY = {
	...ACCOUNT,
	kind: text('`api-key`, `pgp-key`, `client-certificate` or `authority`.', 'api-key'),
	name: text('Its name.', 'agency: API key 7 (…x3f9)'),
	endsAt: text('When it ends.', '2026-06-30T00:00:00.000Z'),
};
const EXPECTED = {
	...ROUTE,
	expected: count('How many files were expected.', 1),
	came: count('How many came.', 0),
	by: text('By when they were expected.', '2026-05-31T06:00:00.000Z'),
};

export const EVENT_TYPES = {
	'job.done': {
		summary: 'A file was processed.',
		members: {
			...JOB,
			cards: count('Cards that were exchanged.', 120),
			refused: count('Cards that were refused.', 2),
			otherNumbers: count('Numbers outside of card fields that look like cards.', 0),
		},
	},
	'job.failed': {
		summary: 'A file could not be processed.',
		members: {
			...JOB,
			reason: text('The reason as a word.', 'file-malformed'),
			message: text('The reason as a sentence.', 'the header names no column of cards'),
		},
	},
	'job.refused_cards': {
		summary: 'Cards of a processed file were refused; its report names them.',
		members: { ...JOB, cards: count('Cards that were exchanged.', 120), refused: count('Cards that were refused.', 2) },
	},
	'file.other_numbers': {
		summary: 'A processed file has numbers outside of card fields that look like cards.',
		members: { ...JOB, otherNumbers: count('How many.', 1) },
	},
	'route.done': { summary: 'A run of a route has delivered files.', members: RUN_END },
	'route.failed': {
		summary: 'A run of a route has not delivered all files.',
		members: showing(RUN_END, { ...BROKEN_OFF, failed: 1 }),
	},
	'route.stopped': {
		summary: 'A route runs no more until somebody resumes it.',
		members: showing(RUN_END, { ...BROKEN_OFF, outcome: 'stopped', reason: 'host: the password was not accepted' }),
	},
	'route.file_dead': {
		summary: 'A route has given a file up.',
		members: {
			...RUN,
			path: text('The path of the file below its source. Digits of a card number in it are masked.', 'out/may.csv'),
			size: count('Its size in bytes.', 52_341),
			reason: text('Why.', 'permission denied'),
			tries: count('How often it was tried.', 5),
		},
	},
	'route.file_missing': {
		summary: 'Files that a route expected have not come in time.',
		members: { ...EXPECTED, why: optional(text('Why, as far as it is known.', 'the route is paused')) },
	},
	'route.file_came': { summary: 'Files that were missing have come.', members: showing(EXPECTED, { came: 1 }) },
	'card_request.completed': { summary: 'A cardholder has entered a card.', members: REQUEST },
	'card_request.expired': { summary: 'A card request has ended without a card.', members: REQUEST },
	'card_view.opened': {
		summary: 'Somebody has seen a card through a link that shows it once.',
		members: { ...ACCOUNT, view: text('The id of the card view.', '01jv6q8z6m4w2k0h9d3f7s5xas') },
	},
	'payment.settled': {
		summary: 'The outcome of a payment is known.',
		members: {
			...ACCOUNT,
			transaction: text('The id of the transaction.', '01jv6q8z6m4w2k0h9d3f7s5xat'),
			gateway: text('The payment provider.', 'Stripe'),
			operation: text('`PreAuth`, `Capture`, `Charge`, `Refund` or `Void`.', 'Charge'),
			result: text('The result of the gateway operation.', 'Success'),
		},
	},
	'allowance.80': { summary: 'An account has used 80 per cent of its processing allowance.', members: ALLOWANCE },
	'allowance.used_up': {
		summary: 'An account has used up its processing allowance.',
		members: showing(ALLOWANCE, { used: 10_000 }),
	},
	'key.expiring': { summary: 'A key ends soon.', members: EXPIRY },
	'certificate.expiring': {
		summary: 'A certificate ends soon.',
		members: showing(EXPIRY, { kind: 'client-certificate', name: 'agency: profile ExamplePartner' }),
	},
	'account.locked': {
		summary: 'An account was blocked.',
		members: { ...ACCOUNT, cause: text('Why: `operator`, or `allowance used up`.', 'operator') },
	},
} as const satisfies Readonly<Record<string, EventType>>;

export type EventName = keyof typeof EVENT_TYPES;

export const EVENT_NAMES = Object.keys(EVENT_TYPES) as EventName[];

export function isEventName(text: string): text is EventName {
	return Object.hasOwn(EVENT_TYPES, text);
}

export function exampleData(name: EventName): Record<string, unknown> {
	const members: EventType['members'] = EVENT_TYPES[name].members;
	return Object.fromEntries(Object.entries(members).map(([member, { example }]) => [member, example]));
}
