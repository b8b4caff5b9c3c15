// What openapi.test.ts and openapi.slow.test.ts share.

import { openHttpRooms } from '../helpers/http-rooms.ts';
import { clientOf } from '../helpers/openapi-client.ts';

export async function open(t: Parameters<typeof openHttpRooms>[0]) {
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
	const client = await clientOf(rooms, caller);
	const operations = Object.entries(client.document.paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({
			name: `${method.toUpperCase()} ${path}`,
			path,
			operation,
		})),
	);
	return { rooms, client, operations };
}
