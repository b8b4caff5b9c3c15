// Lists every call that the app has, as its OpenAPI document describes them, so that tests can check in all of them what
// must hold for all of them.

import type { FastifyInstance, InjectOptions } from 'fastify';

/** The members of an operation in the document that are read here. */
interface Operation {
	readonly security?: readonly object[];
	readonly 'x-permission'?: string;
	readonly 'x-billable'?: boolean;
}

export interface ListedOperation {
	/** The method and the path, for example `GET /api/jobs/{id}`. */
	readonly name: string;
	readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
	readonly isPublic: boolean;
	readonly isApiKeyOnly: boolean;
	readonly permission: string | undefined;
	/**
	 * Whether the call takes a unit before anything else is looked at. It is false for calls that stream, which take units
	 * once they have begun.
	 */
	readonly isBillable: boolean;
	/** Whether a card token stands in its path. */
	readonly hasTokenPath: boolean;
	/** Returns the address of the call. Parts of the path that are not given are made up, and name nothing that exists. */
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
 * Reads the operations from /openapi.json. It leaves out HEAD, because its answers have no body to look at, and the session
 * calls of the payments library, because they refuse in a way of their own (spec §5.4.3).
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

/**
 * Returns a call without a body, with the credential given. Each call comes from a new address, so that none is refused
 * because of failed calls before it.
 */
export function bare(operation: ListedOperation, query = '', headers: Record<string, string> = {}): InjectOptions {
	const remoteAddress = `10.0.${++calls >> 8}.${calls & 255}`;
	return { method: operation.method, url: `${operation.url()}${query}`, headers, remoteAddress };
}
