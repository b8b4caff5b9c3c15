// Opens the HTTP interface and listens.

import { setTimeout as sleep } from 'node:timers/promises';
import { formats } from '../../formats/index.ts';
import type { OutboundClient } from '../base/outbound/http-client.ts';
import type { Settings } from '../base/settings/settings.ts';
import { buildApp } from '../doors/http/app.ts';
import type { HttpRooms } from '../doors/http/rooms.ts';
import { boundEngine } from '../installation/opening/bound-engine.ts';
import { eliminationLimit } from '../installation/opening/elimination-limit.ts';
import type { Portal } from '../people/portal-users/portal.ts';
import type { Bodies } from '../work/relay/bodies/bodies.ts';
import { openFileRelay } from '../work/relay/file-relay.ts';
import { openDestinations } from '../work/relay/partners/destinations.ts';
import { loadPresets } from '../work/relay/profiles/presets.ts';
import { routeFolders } from '../work/routes/route-folders.ts';
import { openRoutes } from '../work/routes/routes.ts';
import { httpListener } from './http-listener.ts';
import { openThirdParties } from './third-parties.ts';

export interface HttpDoor {
	/** The URL that clients use, without a slash at the end. */
	readonly baseUrl: string;
	readonly portal: Portal;
	/** Accepts no new connection, lets running calls continue for `drainMs` milliseconds, then ends the rest. */
	close(drainMs?: number): Promise<void>;
}

/** After running calls were ended, their answers may be sent for this long. */
const LAST_WORDS_MS = 500;
const SWEEP_MS = 50;

/** Builds the app and listens. With port 0 it takes a free port, which `baseUrl` then contains. */
export async function openHttpDoor(
	rooms: Omit<
		HttpRooms,
		| 'engine'
		| 'elimination'
		| 'fileRelay'
		| 'destinations'
		| 'routes'
		| 'formats'
		| 'profiles'
		| 'thirdParties'
		| 'settings'
		| 'onAnswered'
		| 'portal'
	> & {
		/**
		 * Opens the portal. `baseUrl` returns the URL of this service, which is known only after the listener has its port.
		 */
		readonly openPortal: (baseUrl: () => string) => Portal;
		readonly settings: Settings;
		/**
		 * The client for outgoing calls. The code that opened it closes it; this listener closes it earlier only if
		 * running calls take too long.
		 */
		readonly outbound: OutboundClient;
		/**
		 * The threads that read large bodies of messages to and from third parties. The code that opened them closes
		 * them.
		 */
		readonly bodies: Bodies;
		observe: NonNullable<HttpRooms['onAnswered']>;
		onCalled?: HttpRooms['thirdParties']['onCalled'];
	},
): Promise<HttpDoor> {
	const { settings, observe, onCalled, outbound, bodies, openPortal, ...shared } = rooms;
	const { host, port } = settings.http;
	let { baseUrl } = settings;
	const { engine } = boundEngine(rooms, settings);
	const listener = await httpListener(settings, rooms.logger);
	const presets = loadPresets(settings.relay.presetsDir, settings.environment);
	const { profiles, thirdParties } = openThirdParties({ ...shared, outbound, bodies, presets, onCalled }, settings);
	const destinations = openDestinations(shared);
	const routes = openRoutes({ ...shared, destinations, formats, folders: routeFolders(settings) });
	const portal = openPortal(() => baseUrl ?? '');
	const door = {
		...shared,
		destinations,
		routes,
		portal,
		engine,
		elimination: eliminationLimit(rooms, settings),
		formats,
		profiles,
		thirdParties,
		fileRelay: openFileRelay({
			...shared,
			engine,
			allowance: rooms.identity.allowance,
			destinations,
			environment: settings.environment,
			allowPrivate: settings.relay.allowPrivate,
		}),
		settings: {
			environment: settings.environment,
			get baseUrl() {
				return baseUrl ?? '';
			},
			bodyLimitBytes: settings.http.bodyLimitBytes,
			allowLongCvv: settings.cvv.allowLong,
			allowPrivate: settings.relay.allowPrivate,
			hideSeconds: settings.cardDisplay.hideSeconds,
			sftpPort: settings.sftp.port,
			formMinutes: settings.forms.openMinutes,
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
		portal,
		async close(drainMs = 10_000) {
			listener.close();
			// Idle connections are closed again and again. A connection that was busy at first would otherwise stay open
			// after its request and could carry another one.
			const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
			const closed = app.close().finally(() => clearInterval(sweep));
			if (!(await isSettledWithin(closed, drainMs))) {
				// Ends the calls to third parties as timed out. The clients that wait for them get an answer that says so.
				await outbound.close();
				if (!(await isSettledWithin(closed, LAST_WORDS_MS))) app.server.closeAllConnections();
			}
			await closed;
		},
	};
}

async function isSettledWithin(work: Promise<unknown>, withinMs: number): Promise<boolean> {
	const timer = new AbortController();
	const late = sleep(withinMs, false, { signal: timer.signal }).catch(() => false);
	try {
		return await Promise.race([work.then(() => true), late]);
	} finally {
		timer.abort();
	}
}
