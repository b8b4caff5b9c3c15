// Defines the schemas of endpoints, events and their deliveries, as callers get them.

import { Type } from '@sinclair/typebox';
import type { EndpointWithSecret, StoredEndpoint } from '../../../work/events/endpoints.ts';
import { SIGNATURES } from '../../../work/events/signature.ts';
import { answerOf } from '../calls/content.ts';
import { choice, nullable, optionalText, text } from '../calls/fields.ts';
import { CREATED } from '../calls/samples.ts';
import { named } from '../input/schema-notes.ts';

const count = Type.Integer({ minimum: 0 });
const TYPES = 'The types of events, separated by commas; without it, all.';

const ENDPOINT_MEMBERS = {
	name: [Type.String(), 'crm'],
	kind: [Type.String({ enum: ['webhook', 'mail'] }), 'webhook'],
	target: [Type.String({ description: 'The URL, or the mail address.' }), 'https://crm.example/hooks'],
	types: [nullable('The types of events, separated by commas; null for all.'), 'account.locked,job.failed'],
	signature: [nullable('How calls are signed; null for a mailbox.'), 'v1'],
	state: [Type.String({ enum: ['active', 'failing', 'paused', 'disabled'] }), 'active'],
	reason: [nullable('Why it is disabled.'), null],
	createdAt: [Type.String(), CREATED],
	updatedAt: [Type.String(), CREATED],
} as const;
export const ENDPOINT = answerOf('EventEndpoint', 'EventEndpoint', ENDPOINT_MEMBERS);
export const MAILBOX = {
	...ENDPOINT,
	example: {
		...ENDPOINT.example,
		name: 'mailto:ops@agency.example',
		kind: 'mail',
		target: 'ops@agency.example',
		signature: null,
	},
};
export const NEW_ENDPOINT = answerOf('EventEndpoint', 'NewEventEndpoint', {
	...ENDPOINT_MEMBERS,
	secret: [
		Type.String({ description: 'What the receiver checks signatures with. It is shown once.' }),
		'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
	],
});
export const ENDPOINT_PLAN = named(
	'EventEndpointPlan',
	Type.Object({
		url: text('What is called.'),
		types: optionalText(TYPES),
		signature: Type.Optional(choice(SIGNATURES, '`v1`: a shared secret, which is the default. `v1a`: Ed25519.')),
	}),
);
export const MAILBOX_PLAN = named('EventMailboxPlan', Type.Object({ types: optionalText(TYPES) }));
export const ENDPOINT_TEST = answerOf('EventEndpointTest', 'EventEndpointTest', {
	id: [Type.String({ description: 'The id of the event that was sent.' }), 'evt_01kjpz8q4y6t3wxa7n5c2dme9r'],
	received: [Type.Boolean(), true],
	status: [Type.Union([Type.Integer(), Type.Null()], { description: 'What the receiver answered.' }), 204],
	reason: [nullable('Why it does not count as received.'), null],
});
const EVENT_SHAPE = { root: 'Event', items: { deliveries: 'Delivery' } };
export const EVENT = answerOf(EVENT_SHAPE, 'Event', {
	id: [Type.String(), ENDPOINT_TEST.example.id],
	type: [Type.String(), 'account.locked'],
	timestamp: [Type.String(), CREATED],
	data: [
		Type.Object({}, { additionalProperties: true, description: 'By its type; see the webhooks of this document.' }),
		{ account: 'agency', cause: 'operator' },
	],
	deliveries: [
		Type.Array(
			Type.Object({
				endpoint: nullable('Null once the endpoint is removed.'),
				state: Type.String({ enum: ['waiting', 'sent', 'failed'] }),
				tries: count,
				status: Type.Union([Type.Integer(), Type.Null()], { description: 'What the receiver answered last.' }),
				reason: nullable(),
				nextTryAt: nullable(),
				endedAt: nullable(),
			}),
		),
		[{ endpoint: 'crm', state: 'sent', tries: 1, status: 204, reason: null, nextTryAt: null, endedAt: CREATED }],
	],
});
export const REPLAY = named(
	'EventReplay',
	Type.Object({
		from: optionalText('Events from this time on. This or `id` is needed.'),
		to: optionalText('Events before this time.'),
		id: optionalText('Only this event.'),
		endpoint: optionalText('Only to this endpoint.'),
	}),
);
export const REPLAYED = answerOf('Replayed', 'ReplayedEvents', { deliveries: [count, 1] });

export function shownEndpoint({ createdAt, updatedAt, ...endpoint }: StoredEndpoint) {
	const { name, kind, target, types, signature, state, failure } = endpoint;
	const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
	const standing = { signature, state, reason: failure?.reason ?? null };
	return { name, kind, target, types: types?.join(',') ?? null, ...standing, ...times };
}

/** Returns an endpoint with its secret, which is shown once. */
export function shownWithSecret({ endpoint, secret }: EndpointWithSecret) {
	return { ...shownEndpoint(endpoint), secret: secret.reveal() };
}
