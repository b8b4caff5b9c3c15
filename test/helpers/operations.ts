// Every call the app has, as its own description lists them: what must hold for all of them is asked of all of them.

import type { FastifyInstance, InjectOptions } from 'fastify';

/** What is read of an operation of the document. */
interface Operation {
	readonly security?: readonly object[];
	readonly 'x-permission'?: string;
	readonly 'x-billable'?: boolean;
}

export interface ListedOperation {
	/** `GET /api/jobs/{id}` */
	readonly name: string;
	readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	readonly isPublic: boolean;
	readonly isApiKeyOnly: boolean;
	readonly permission: string | undefined;
	/** Takes a unit before anything else is looked at; calls that stream are checked once they begin. */
	readonly isBillable: boolean;
	/** Whether a card token stands in its path. */
	readonly hasTokenPath: boolean;
	/** Its address; parts of the path that are not given are made up, and lead nowhere. */
	url(path?: Record<string, string>): string;
}

const NOBODYS_TOKEN = '9e107d9d372bb6826bd81d3542a419d6';
const MADE_UP: Record<string, string> = {
	cardToken: NOBODYS_TOKEN,
	merchantId: 'nobody',
	destinationType: 'SFTP',
	destinationData: 'partner.example',
};

/**
 * Reads them from /openapi.json. HEAD is left out, whose answers have no body to look at, and so are the session calls of
 * the payments library, which refuse in a way of their own (spec §5.4.3).
 */
export async function listOperations(app: FastifyInstance): Promise<readonly ListedOperation[]> {
	const response = await app.inject({ method: 'GET', url: '/openapi.json' });
	const { paths } = response.json() as { paths: Record<string, Record<string, Operation>> };
	return Object.entries(paths)
		.filter(([template]) => !template.startsWith('/api/eWalletOperation/session'))
		.flatMap(([template, methods]) =>
			Object.entries(methods)
				.filter(([method]) => method !== 'head')
				.map(([method, operation]) => listed(method.toUpperCase(), template, operation)),
		);
}

function listed(method: string, template: string, operation: Operation): ListedOperation {
	const { security = [], 'x-permission': permission, 'x-billable': isBillable = false } = operation;
	return {
		name: `${method} ${template}`,
		method: method as ListedOperation['method'],
		isPublic: security.length === 0,
		isApiKeyOnly: security.length > 0 && !security.some((each) => 'sessionToken' in each),
		permission,
		isBillable,
		hasTokenPath: template.includes('{cardToken}'),
		url: (path = {}) => template.replace(/\{(\w+|\*)\}/g, (_, name: string) => path[name] ?? MADE_UP[name] ?? 'x'),
	};
}

let calls = 0;

/** A call without a body, with the credential given, from ever new addresses: it is not about their limit of failures. */
export function bare(operation: ListedOperation, query = '', headers: Record<string, string> = {}): InjectOptions {
	const remoteAddress = `10.0.${++calls >> 8}.${calls & 255}`;
	return { method: operation.method, url: `${operation.url()}${query}`, headers, remoteAddress };
}
