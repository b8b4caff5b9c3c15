// What openapi.test.ts and openapi.slow.test.ts share.

import { openHttpApp } from '../helpers/http-app.ts';
import { clientOf } from '../helpers/openapi-client.ts';

export async function open(t: Parameters<typeof openHttpApp>[0]) {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const client = await clientOf(parts, caller);
	const operations = Object.entries(client.document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({
			name: `${method.toUpperCase()} ${path}`,
			path,
			operation,
		})),
	);
	return { parts, client, operations };
}
