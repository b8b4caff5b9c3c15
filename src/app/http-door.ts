// Opens the HTTP interface and listens.

import type { Logger } from '../base/log/log.ts';
import type { Settings } from '../base/settings/settings.ts';
import { inTime } from '../base/threads/in-time.ts';
import { type AppParts, buildApp } from '../doors/http/app.ts';
import type { OnAnswered } from '../doors/http/server/access-log.ts';
import { openTls, type Tls } from '../doors/http/server/tls.ts';
import { boundEngine } from '../installation/opening/bound-engine.ts';
import { eliminationLimit } from '../installation/opening/report-elimination-limit.ts';
import type { Portal } from '../people/portal-users/portal.ts';
import { openEventEndpoints } from '../work/events/endpoints.ts';
import { openLedgers } from '../work/ledger/ledger.ts';
import { openFileRelay } from '../work/relay/file-relay.ts';
import { openDestinations } from '../work/relay/partners/destinations.ts';
import { loadPresets } from '../work/relay/profiles/presets.ts';
import { openProfiles } from '../work/relay/profiles/profiles.ts';
import { openThirdParties } from '../work/relay/third-parties.ts';
import type { CallSeen } from '../work/relay/third-party-call.ts';
import { openRoutes, routeFolders } from '../work/routes/routes.ts';
import type { Installation } from './open-installation.ts';
import type { Work } from './open-work.ts';
import type { Start } from './start.ts';

/** After running calls were ended, their answers may be sent for this long. */
const LAST_WORDS_MS = 500;
const SWEEP_MS = 50;

/** What the other doors have opened already, and what watches the calls. */
export interface HttpDoorOptions extends Pick<AppParts, 'installation' | 'loginLimiter'> {
	/** Opens the portal. `baseUrl` returns the URL of this service, which is known only once the listener has a port. */
	openPortal(baseUrl: () => string): Portal;
	/** This function is called once for each answered request. */
	readonly onAnswered: OnAnswered;
	/** This function is called at the end of every call to a third party. */
	readonly onCalled: (seen: CallSeen) => void;
}

export type HttpDoor = Awaited<ReturnType<typeof openHttpDoor>>;

/** Builds the app and listens. With port 0 it takes a free port, which `baseUrl` then contains. */
export async function openHttpDoor(
	{ settings, logger, clock }: Pick<Start, 'settings' | 'logger' | 'clock'>,
	opened: Pick<Installation, 'database' | 'keyRing' | 'identity' | 'audit' | 'vault'>,
	work: Pick<Work, 'drops' | 'intake' | 'gateway' | 'outbound' | 'bodies' | 'cardPages' | 'routeControls'>,
	{ installation, loginLimiter, openPortal, onAnswered, onCalled }: HttpDoorOptions,
) {
	const parts = { ...opened, clock, logger };
	const { host, port } = settings.http;
	const { environment, relay } = settings;
	const { drops, intake, gateway, outbound, bodies, routeControls } = work;
	const { mails, cardRequests, cardViews } = work.cardPages;
	const { allowance } = opened.identity;
	let { baseUrl } = settings;
	const { engine, formats } = await boundEngine(parts, settings);
	const listener = await httpListener(settings, logger);
	const profiles = openProfiles({
		...parts,
		environment,
		presets: loadPresets(relay.presetsDir, environment),
		parse: (...given) => bodies.parseProfile(...given),
	});
	const { maxAnswerBytes, allowPrivate } = relay;
	const calls = { ...parts, allowance, outbound, bodies, environment };
	const thirdParties = openThirdParties({ ...calls, maxAnswerBytes, onCalled });
	const destinations = openDestinations(parts);
	const routes = openRoutes({ ...parts, formats, destinations, folders: routeFolders(settings) });
	const ledgers = openLedgers({ ...parts, allowance, engine });
	const fileRelay = openFileRelay({ ...parts, engine, ledgers, destinations, environment, allowPrivate });
	const portal = openPortal(() => baseUrl ?? '');
	const app = await buildApp(
		{
			...parts,
			engine,
			ledgers,
			formats,
			drops,
			intake,
			fileRelay,
			destinations,
			routes,
			routeControls,
			endpoints: openEventEndpoints(parts),
			outbound,
			gateway,
			cardRequests,
			cardViews,
			portal,
			installation,
			mails,
			profiles,
			thirdParties,
			loginLimiter,
			onAnswered,
			elimination: eliminationLimit(parts, settings),
			settings: {
				environment,
				get baseUrl() {
					return baseUrl ?? '';
				},
				bodyLimitBytes: settings.http.bodyLimitBytes,
				allowLongCvv: settings.cvv.allowLong,
				allowPrivate,
				hideSeconds: settings.cardDisplay.hideSeconds,
				sftpPort: settings.sftp.port,
				formMinutes: settings.forms.openMinutes,
				requestTimeoutMs: settings.http.requestTimeoutSeconds * 1000,
			},
		},
		listener.options,
	);
	listener.attach(app.server);
	await app.listen({ host, port });
	const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
	baseUrl ??= `${listener.scheme}://${name.includes(':') ? `[${name}]` : name}:${(app.server.address() as { port: number }).port}`;
	return {
		/** The URL that clients use, without a slash at the end. */
		baseUrl,
		portal,
		/** Accepts no new connection, lets running calls continue for `drainMs` milliseconds, then ends the rest. */
		async close(drainMs = 10_000): Promise<void> {
			listener.close();
			// Idle connections are closed again and again. A connection that was busy at first would otherwise stay open
			// after its request and could carry another one.
			const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
			const closed = app.close().finally(() => clearInterval(sweep));
			const isClosedWithin = (ms: number) =>
				inTime(
					closed.then(() => true),
					ms,
					false,
				);
			if (!(await isClosedWithin(drainMs))) {
				// Ends the calls to third parties as timed out. The clients that wait for them get an answer that says so.
				await outbound.close();
				if (!(await isClosedWithin(LAST_WORDS_MS))) app.server.closeAllConnections();
			}
			await closed;
		},
	};
}

/**
 * Reads the certificate when there is one.
 * @throws if its files cannot be used
 */
export async function httpListener({ http }: Pick<Settings, 'http'>, logger: Logger) {
	const { tlsCertFile: certFile, tlsKeyFile: keyFile } = http;
	const tls = certFile !== null && keyFile !== null ? await openTls({ certFile, keyFile }, logger) : undefined;
	return {
		scheme: tls ? 'https' : 'http',
		options: {
			tls: tls?.options,
			trustProxy: http.trustedProxies?.split(/, */) ?? false,
			limits: {
				headersTimeoutMs: http.headersTimeoutSeconds * 1000,
				idleTimeoutMs: http.idleTimeoutSeconds * 1000,
				keepAliveMs: http.keepAliveSeconds * 1000,
				maxConnections: http.maxConnections,
			},
		},
		/** Keeps the certificate of the app's server current. Call it once the app is built. */
		// The cast is needed because Fastify types every server as one without TLS.
		attach: (server: unknown) => tls?.keepCurrent(server as Parameters<Tls['keepCurrent']>[0]),
		close: () => tls?.close(),
	};
}
