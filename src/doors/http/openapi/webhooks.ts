// Describes the calls that receivers of events get.

import {
	EVENT_NAMES,
	EVENT_TYPES,
	type EventName,
	type EventType,
	exampleData,
} from '../../../base/outbox/event-types.ts';
import { CREATED } from '../calls/samples.ts';

const HEADERS = {
	'webhook-id': 'The id of the event, the same at every try.',
	'webhook-timestamp': 'The time of the try, in seconds since 1970.',
	'webhook-signature': 'Signatures over `id.timestamp.body`, separated by blanks (Standard Webhooks 1.0.0).',
};

/** Returns the webhooks of the document, one for each type of event. */
export function webhooks(): Record<string, object> {
	return Object.fromEntries(EVENT_NAMES.map((name) => [name, { post: webhookOf(name) }]));
}

/** Returns the schema of the body of an event. */
export function eventSchema(name: EventName): object {
	const members: EventType['members'] = EVENT_TYPES[name].members;
	const schemas = Object.entries(members).map(([member, { type, isNullable, description }]) => [
		member,
		{ type: isNullable ? [type, 'null'] : type, description },
	]);
	const required = Object.entries(members).flatMap(([member, { isOptional }]) => (isOptional ? [] : [member]));
	return {
		type: 'object',
		properties: {
			type: { const: name },
			timestamp: { type: 'string', format: 'date-time' },
			data: { type: 'object', properties: Object.fromEntries(schemas), required },
		},
		required: ['type', 'timestamp', 'data'],
	};
}

function webhookOf(name: EventName): object {
	const example = { type: name, timestamp: CREATED, data: exampleData(name) };
	return {
		operationId: `on${name.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
		summary: EVENT_TYPES[name].summary,
		parameters: Object.entries(HEADERS).map(([header, description]) => ({
			...{ name: header, in: 'header', required: true, description, schema: { type: 'string' } },
		})),
		requestBody: { required: true, content: { 'application/json': { schema: eventSchema(name), example } } },
		responses: { '2XX': { description: 'Received. Any other answer is a failure, and 410 disables the endpoint.' } },
	};
}
