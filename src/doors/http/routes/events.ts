import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import type { OutboundClient } from '../../../base/outbound/http-client.ts';
import { actorOf, type Owner } from '../../../people/identity/principal.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { EventEndpoints } from '../../../work/events/endpoints.ts';
import { findEvent, listEvents, parseEventTime, replayEvents } from '../../../work/events/history.ts';
import { shownTest, testEndpoint } from '../../../work/events/test-endpoint.ts';
import { type Call, callsAbout } from '../calls/call.ts';
import { listOf } from '../calls/content.ts';
import { DEFAULT_NUM, PAGE, pathText } from '../calls/fields.ts';
import {
	ENDPOINT,
	ENDPOINT_PLAN,
	ENDPOINT_TEST,
	EVENT,
	MAILBOX,
	MAILBOX_PLAN,
	NEW_ENDPOINT,
	REPLAY,
	REPLAYED,
	shownEndpoint,
	shownWithSecret,
} from '../events/event-schemas.ts';

const define = callsAbout('events', { permission: 'ManageEvents' });
const NAME = Type.Object({ name: pathText('The name of the endpoint.', 'crm') });
const ADDRESS = Type.Object({ address: pathText('The address of the mailbox.', 'ops@agency.example') });
const ID = Type.Object({ id: pathText('The id of the event.', EVENT.example.id) });
const QUERY = Type.Object({
	type: Type.Optional(Type.String({ description: 'Only events of this type.' })),
	from: Type.Optional(Type.String({ description: 'Events from this time on.' })),
	to: Type.Optional(Type.String({ description: 'Events before this time.' })),
	num: PAGE.num,
});

/** Defines the calls for events: who is told of them, and what became of each. */
export function eventCalls(parts: Parts): Call[] {
	return [...endpointCalls(parts), ...historyCalls(parts)];
}

interface Parts {
	readonly endpoints: EventEndpoints;
	readonly database: Database;
	readonly audit: Pick<Audit, 'record'>;
	readonly outbound: Pick<OutboundClient, 'call'>;
	readonly clock: Clock;
}

function endpointCalls(parts: Pick<Parts, 'endpoints' | 'outbound' | 'clock'>): Call[] {
	const { endpoints } = parts;
	return [
		define('GET', '/api/event-endpoints', {
			name: 'listEventEndpoints',
			summary: 'List endpoints of events',
			description: 'By name, mailboxes included.',
			returns: listOf(ENDPOINT),
			handler: async (request) => {
				const list = await endpoints.list(request.principal.ownerId);
				return list.map(shownEndpoint);
			},
		}),
		define('PUT', '/api/event-endpoints/:name', {
			name: 'putAnEventEndpoint',
			summary: 'Put an endpoint of events',
			description: 'In the place of any of its name, with a new secret, which the answer shows once.',
			params: NAME,
			body: {
				schema: ENDPOINT_PLAN,
				example: { url: ENDPOINT.example.target, types: ENDPOINT.example.types },
				root: 'Endpoint',
			},
			returns: NEW_ENDPOINT,
			handler: async (request, _reply, readBody) => {
				const body = readBody();
				const signature = body.findText('signature') ?? 'v1';
				const chosen = typesIn(body.findText('types'));
				const plan = { name: request.params.name, url: body.getText('url'), types: chosen, signature };
				const stored = await endpoints.put(ownerOf(request), plan, actorOf(request.principal));
				return shownWithSecret(stored);
			},
		}),
		define('PUT', '/api/event-mailboxes/:address', {
			name: 'putAnEventMailbox',
			summary: 'Put a mailbox that is told of events',
			description: 'In the place of any of its address. It stands among the endpoints as `mailto:ADDRESS`.',
			params: ADDRESS,
			body: { schema: MAILBOX_PLAN, example: { types: MAILBOX.example.types }, root: 'Mailbox' },
			returns: MAILBOX,
			handler: async (request, _reply, readBody) => {
				const plan = { to: request.params.address, types: typesIn(readBody().findText('types')) };
				const stored = await endpoints.putMail(ownerOf(request), plan, actorOf(request.principal));
				return shownEndpoint(stored);
			},
		}),
		define('DELETE', '/api/event-endpoints/:name', {
			name: 'removeAnEventEndpoint',
			summary: 'Remove an endpoint of events',
			description: 'What waits for it is given up.',
			params: NAME,
			failures: ['uri-not-found'],
			handler: async (request, reply) => {
				const { principal, params } = request;
				if (await endpoints.remove(ownerOf(request), params.name, actorOf(principal))) return reply.send();
				throw new ServiceError('uri-not-found', { moreInfo: 'the account has no endpoint with this name' });
			},
		}),
		define('POST', '/api/event-endpoints/:name/rotate', {
			name: 'rotateTheSecretOfAnEventEndpoint',
			summary: 'Rotate the secret of an endpoint of events',
			description: 'The answer shows the new secret once. For a day, calls are signed by the former one too.',
			params: NAME,
			returns: NEW_ENDPOINT,
			handler: async (request) => {
				const { principal, params } = request;
				const stored = await endpoints.rotate(ownerOf(request), params.name, actorOf(principal));
				return shownWithSecret(stored);
			},
		}),
		define('POST', '/api/event-endpoints/:name/test', {
			name: 'testAnEventEndpoint',
			summary: 'Test an endpoint of events',
			description: 'Sends an example to it now, once, and says what it has answered.',
			params: NAME,
			returns: ENDPOINT_TEST,
			handler: async (request) => shownTest(await testEndpoint(parts, ownerOf(request), request.params.name)),
		}),
	];
}

function historyCalls(parts: Pick<Parts, 'database' | 'audit' | 'clock'>): Call[] {
	const { database } = parts;
	return [
		define('GET', '/api/events', {
			summary: 'List events',
			description: 'Of the last thirty days, youngest first, with what became of their deliveries.',
			query: QUERY,
			returns: listOf(EVENT),
			handler: async (request) => {
				const { type, from, to, num: limit = DEFAULT_NUM } = request.query;
				const range = { fromMs: timeOf('from', from), toMs: timeOf('to', to), type, limit };
				return listEvents(database, request.principal.ownerId, range);
			},
		}),
		define('GET', '/api/events/:id', {
			summary: 'Read an event',
			description: 'With what became of its deliveries.',
			params: ID,
			returns: EVENT,
			failures: ['uri-not-found'],
			handler: async (request) => {
				const event = await findEvent(database, request.principal.ownerId, request.params.id);
				if (event) return event;
				throw new ServiceError('uri-not-found', { moreInfo: 'the account has no such event' });
			},
		}),
		define('POST', '/api/events/replay', {
			name: 'replayEvents',
			summary: 'Deliver events again',
			description: 'Under the ids that they have, to the endpoints that want their types now.',
			body: { schema: REPLAY, example: { from: '2026-03-02T00:00:00Z' }, root: 'Replay' },
			returns: { status: 202, ...REPLAYED },
			handler: async (request, _reply, readBody) => {
				const body = readBody();
				const [from, to] = [body.findText('from'), body.findText('to')];
				const [id, endpoint] = [body.findText('id'), body.findText('endpoint')];
				if (from === undefined && id === undefined) throw body.problem('from', 'expected this or id');
				const plan = { fromMs: timeOf('from', from), toMs: timeOf('to', to), id, endpoint };
				const deliveries = await replayEvents(parts, ownerOf(request), plan, actorOf(request.principal));
				return { deliveries };
			},
		}),
	];
}

function typesIn(text: string | undefined): string[] | undefined {
	return text?.split(',').map((type) => type.trim());
}

/** Endpoints belong to the primary account. */
function ownerOf({ principal: { ownerId, userId } }: FastifyRequest): Owner {
	return { accountId: ownerId, userId };
}

function timeOf(field: string, given: string | undefined): number | undefined {
	if (given === undefined) return undefined;
	const ms = parseEventTime(given);
	if (ms !== undefined) return ms;
	throw badInput(field, 'expected a day (UTC) or a time with its zone: 2026-05-31T06:00Z');
}
