// The interface over HTTP, listening.

import { formats } from '../../formats/index.ts';
import { buildApp } from '../http/app.ts';
import type { HttpRooms } from '../http/rooms.ts';
import type { Settings } from '../settings.ts';
import { boundEngine } from './bound-engine.ts';
import { httpListener } from './http-listener.ts';

export interface HttpDoor {
	/** What clients use, without a slash at the end. */
	readonly baseUrl: string;
	close(): Promise<void>;
}

/** Builds the app over the rooms and listens. A port of 0 takes a free one, which then stands in `baseUrl`. */
export async function openHttpDoor(
	rooms: Omit<HttpRooms, 'engine' | 'formats' | 'settings' | 'onAnswered'> & {
		readonly settings: Settings;
		observe: NonNullable<HttpRooms['onAnswered']>;
	},
): Promise<HttpDoor> {
	const { settings, observe, ...shared } = rooms;
	const { host, port } = settings.http;
	let { baseUrl } = settings;
	const { engine } = boundEngine(rooms, settings);
	const listener = await httpListener(settings, rooms.logger);
	const door = {
		...shared,
		engine,
		formats,
		settings: {
			environment: settings.environment,
			get baseUrl() {
				return baseUrl ?? '';
			},
			bodyLimitBytes: settings.http.bodyLimitBytes,
			requestTimeoutMs: settings.http.requestTimeoutSeconds * 1000,
		},
		onAnswered: observe,
	} satisfies HttpRooms;
	const app = await buildApp(door, listener.options);
	listener.attach(app.server);
	await app.listen({ host, port });
	const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
	baseUrl ??= `${listener.scheme}://${name.includes(':') ? `[${name}]` : name}:${(app.server.address() as { port: number }).port}`;
	return {
		baseUrl,
		async close() {
			listener.close();
			await app.close();
		},
	};
}
