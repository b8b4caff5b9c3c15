// The parameters for the OpenAPI document: those that a route checks by its schema, and those it checks itself or reads
// from headers. The listed values are those to send; a route may accept more, especially other cases.

import { HTTP_METHODS } from '../../relay/profile.ts';
import { ROUND_TRIP_MS } from '../../relay/rooms.ts';
import { CVV_DESTINATION_TYPES } from '../../vault/cvv-store.ts';

export interface Parameter {
	readonly in: string;
	readonly name: string;
	readonly description?: string;
	required?: boolean;
	schema?: object;
	example?: unknown;
}

const IDEMPOTENCY_KEY: Parameter = {
	in: 'header',
	name: 'Idempotency-Key',
	required: false,
	description: 'The same key with the same request brings the first answer again, for 24 hours.',
	schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

const FLAG = { type: 'boolean' };
/** The facts that the route's own schema does not state. */
const SCHEMAS: Readonly<Record<string, object>> = {
	async: FLAG,
	cvv: { type: 'string', pattern: '^[0-9]{3,4}$' },
	destinationType: { type: 'string', enum: CVV_DESTINATION_TYPES },
	eliminateCardDuplication: FLAG,
	httpMethod: { type: 'string', enum: HTTP_METHODS },
	overwrite: FLAG,
	saveCVV: FLAG,
	timeout: { type: 'integer', minimum: 1, default: ROUND_TRIP_MS },
};

/** Examples that a reader can try unchanged. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
	cardToken: '9e107d9d372bb6826bd81d3542a419d6',
	destinationType: 'HostName',
	destinationData: 'partner.example',
	filter: 'SIMPLECSV',
	credentialsId: 'shop-1',
	merchantId: 'partner',
	ref: 'order-1',
};

/** By operation: routes check these themselves, because of the order of checks and the text of the refusal. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
	'POST /api/payments/paycard/relay': ['profileName'],
	'POST /api/payments/paycard/capture': ['profileName'],
};

const header = (name: string, description: string): Parameter => ({
	...{ in: 'header', name, required: false, description, schema: { type: 'string' } },
});
const FOR_TARGET = [
	header('X-service-Target-Authorization', "Goes out as `Authorization`; the profile's own wins."),
	header('X-service-Target-Cookie', 'Goes out as `Cookie`.'),
	header('X-service-Target-Idempotency-Key', 'Goes out as `Idempotency-Key`.'),
];
const HEADERS: Readonly<Record<string, readonly Parameter[]>> = {
	'POST /api/payments/paycard/relay': [
		header('X-service-cardUri', 'Token URIs, separated by commas. Required unless `cardToken` is given.'),
		...FOR_TARGET,
	],
	'POST /api/payments/paycard/capture': FOR_TARGET,
	'POST /api/booker/{profileName}': FOR_TARGET,
};

/**
 * Returns all parameters of an operation, `POST /path/{parameter}`, including those its route declares; `filters` are
 * those of the formats.
 */
export function parametersOf(
	declared: readonly Parameter[],
	{ call, isIdempotent, filters }: { call: string; isIdempotent: boolean; filters: readonly string[] },
): Parameter[] {
	const schemas: Readonly<Record<string, object>> = { ...SCHEMAS, filter: { type: 'string', enum: filters } };
	// Routes with one schema share its parameters, so only those in this path are listed.
	const own = declared.filter((each) => each.in !== 'path' || call.includes(`{${each.name}}`));
	for (const parameter of own) {
		const { in: place, name } = parameter;
		if (place === 'path' && /token$/i.test(name)) parameter.schema = { type: 'string', pattern: '^[0-9A-Fa-f]{32}$' };
		else if (place !== 'header') parameter.schema = schemas[name] ?? parameter.schema;
		if (REQUIRED[call]?.includes(name)) parameter.required = true;
		const isOfInterest = place === 'path' || parameter.required || name === 'ref';
		if (isOfInterest && EXAMPLES[name] !== undefined) parameter.example ??= EXAMPLES[name];
	}
	return [...own, ...(HEADERS[call] ?? []), ...(isIdempotent ? [IDEMPOTENCY_KEY] : [])];
}
