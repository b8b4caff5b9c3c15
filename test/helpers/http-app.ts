// Opens the whole app over real parts, without a listener. Tests of the HTTP door call its routes.

import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { formats } from '../../formats/index.ts';
import { openCardPages } from '../../src/app/card-pages.ts';
import { openConfiguredGateway } from '../../src/app/open-work.ts';
import { diskBlobStore } from '../../src/base/blobs/disk.ts';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { defaultDefenderSettings, openDefender } from '../../src/base/defender/defender.ts';
import { openLoginGuard } from '../../src/base/defender/login-guard.ts';
import { openLogger } from '../../src/base/log/log.ts';
import type { MailQueue } from '../../src/base/mail/mail-queue.ts';
import { openOutboundClient } from '../../src/base/outbound/http-client.ts';
import type { Lookup } from '../../src/base/outbound/system-lookup.ts';
import { loadSettings, type Settings } from '../../src/base/settings/settings.ts';
import { failedLoginSettings, openLoginLimiter } from '../../src/doors/http/access/login-limiter.ts';
import { type AppParts, buildApp } from '../../src/doors/http/app.ts';
import type { OnAnswered } from '../../src/doors/http/server/access-log.ts';
import type { HttpSettings } from '../../src/doors/http/settings.ts';
import { transferEngine } from '../../src/engine/engine.ts';
import { openInstallationView } from '../../src/installation/doctor/installation-view.ts';
import { accountDirectory } from '../../src/installation/opening/account-directory.ts';
import { auditedChanges, auditedStores } from '../../src/installation/opening/audited-stores.ts';
import { openConfiguredPortal } from '../../src/installation/opening/configured-portal.ts';
import { eliminationLimit } from '../../src/installation/opening/report-elimination-limit.ts';
import { routeEnds } from '../../src/installation/opening/route-parts.ts';
import type { Account, NewAccount } from '../../src/people/identity/accounts/accounts.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { allPermissions, type Permission } from '../../src/people/identity/permissions.ts';
import { openProviders, type Providers } from '../../src/people/portal-users/sso/providers.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { openVault } from '../../src/vault/vault.ts';
import { Drops } from '../../src/work/drops/drops.ts';
import { openEventEndpoints } from '../../src/work/events/endpoints.ts';
import { type IntakeOptions, openIntake } from '../../src/work/jobs/intake.ts';
import { openLedgers } from '../../src/work/ledger/ledger.ts';
import type { GatewayOptions } from '../../src/work/payments/gateway/gateway.ts';
import { openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { openBodies } from '../../src/work/relay/bodies/bodies.ts';
import { type FileRelayOptions, openFileRelay } from '../../src/work/relay/file-relay.ts';
import { openDestinations } from '../../src/work/relay/partners/destinations.ts';
import { loadPresets } from '../../src/work/relay/profiles/presets.ts';
import { openProfiles } from '../../src/work/relay/profiles/profiles.ts';
import { openThirdParties } from '../../src/work/relay/third-parties.ts';
import type { CallSeen } from '../../src/work/relay/third-party-call.ts';
import { openRouteControls } from '../../src/work/routes/route-controls.ts';
import { openRoutes } from '../../src/work/routes/routes.ts';
import { openBegunDatabase } from './begun-database.ts';
import { openCertificateKeys } from './certificate-keys.ts';
import { checkingFailures } from './checking-failures.ts';
import type { TestDatabase } from './database.ts';
import { makeFolder } from './file-parts.ts';
import { turnableClock } from './vault-parts.ts';

export const TEST_BASE_URL = 'https://vault.example';

/** The default settings, which all tests can share because they are frozen. */
const DEFAULTS = loadSettings({ env: {} });

export type Call = Omit<InjectOptions, 'method' | 'url'>;

/** An account that calls the app. */
export interface Caller {
	readonly account: Account;
	/** The account's API key in clear. */
	readonly apiKey: string;
	/** Calls a path with the API key, unless the headers of `call` have another one. */
	inject(method: InjectOptions['method'], url: string, call?: Call): Promise<LightMyRequestResponse>;
}

export interface HttpApp extends AppParts {
	readonly database: TestDatabase;
	readonly mails: MailQueue;
	/** The providers at which people may sign in; a test may change what their files declare. */
	readonly providers: Providers;
	readonly clock: ReturnType<typeof turnableClock>;
	readonly app: FastifyInstance;
	/** Returns everything that was logged so far, at level trace. */
	logText(): string;
	/** Creates an account with an API key. It has every permission unless some are given. */
	createCaller(
		userId: string,
		more?: Omit<NewAccount, 'userId'> & { permissions?: readonly Permission[] },
	): Promise<Caller>;
}

export interface HttpAppOptions {
	readonly settings?: Partial<HttpSettings>;
	readonly onAnswered?: OnAnswered;
	readonly onCalled?: (seen: CallSeen) => void;
	readonly onAccepted?: IntakeOptions['onAccepted'];
	readonly relay?: Partial<Settings['relay']>;
	/** Looks up the addresses of hosts; by default the machine's resolver does. */
	readonly lookup?: Lookup;
	/** Changes what file relay works with. By default it may call partners on this machine. */
	readonly fileRelay?: Partial<FileRelayOptions>;
	/** The settings of mail. There is no mail server unless they name one. */
	readonly mail?: Partial<Settings['mail']>;
	readonly cardRequests?: Partial<Settings['cardRequests']>;
	readonly cardDisplay?: Partial<Settings['cardDisplay']>;
	/** The folders of the server that routes may use. */
	readonly folders?: readonly string[];
	/** The settings of the portal, such as who may enter it. There is no portal without them. */
	readonly portal?: Partial<Settings['portal']>;
	/** Is told of logins to the portal that failed. */
	readonly failedLogins?: Parameters<typeof openConfiguredPortal>[0]['failedLogins'];
	readonly gateway?: Partial<Pick<GatewayOptions, 'deadlineMs' | 'onCall'> & Settings['gateway']>;
}

const readPresets = new Map<string, ReturnType<typeof loadPresets>>();

/** Reads a folder of presets once in a process, because it takes longer than all else of an app. Presets do not change. */
function presetsOf(...from: Parameters<typeof loadPresets>): ReturnType<typeof loadPresets> {
	const key = from.join();
	const presets = readPresets.get(key) ?? loadPresets(...from);
	readPresets.set(key, presets);
	return presets;
}

/** Opens the parts over a fresh database and builds the app. Everything closes with the test. */
export async function openHttpApp(
	t: ExecutionContext<unknown>,
	dialect: Dialect = 'sqlite',
	options: HttpAppOptions = {},
): Promise<HttpApp> {
	const clock = turnableClock();
	const { database, keyRing } = await openBegunDatabase(t, dialect, clock);
	const audit = await openAudit({ database, keyRing, clock });
	const identity = openIdentity({
		database,
		keyRing,
		audit,
		environment: 'sandbox',
		clock,
		certificateKeys: openCertificateKeys(),
	});
	const onStored = auditedStores(audit);
	const lines: string[] = [];
	const logger = openLogger({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } });
	const elimination = eliminationLimit({ database, audit, logger }, DEFAULTS);
	const onChanged = auditedChanges(audit);
	const vault = await openVault({ database, keyRing, clock, elimination, onStored, onChanged });
	const blobs = diskBlobStore(join(makeFolder(t), 'drops'));
	const drops = new Drops({ database, keyRing, blobs, daemonId: 'test', clock });
	t.teardown(() => drops.close());
	const accounts = accountDirectory(identity);
	const engine = transferEngine({ database, keyRing, formats, accounts, clock, elimination });
	const environment = options.settings?.environment ?? 'sandbox';
	const { relay: relaySettings, gateway: gatewaySettings } = DEFAULTS;
	const relay = { ...relaySettings, allowPrivate: true, ...options.relay };
	const outbound = openOutboundClient({ ...relay, lookup: options.lookup });
	t.teardown(() => outbound.close());
	const bodies = openBodies(relay);
	t.teardown(() => bodies.close());
	const profiles = openProfiles({
		database,
		keyRing,
		clock,
		environment,
		presets: presetsOf(relay.presetsDir, environment),
		parse: (...given) => bodies.parseProfile(...given),
	});
	const thirdParties = openThirdParties({
		vault,
		audit,
		allowance: identity.allowance,
		outbound,
		bodies,
		clock,
		environment,
		maxAnswerBytes: relay.maxAnswerBytes,
		onCalled: options.onCalled,
	});
	const gateway = openConfiguredGateway(
		{ database, keyRing, vault, audit, clock, logger, outbound, ...options.gateway },
		{ environment, gateway: { ...gatewaySettings, ...options.gateway } },
	);
	const cardPages = openCardPages(
		{ database, keyRing, identity, audit, vault, clock, logger },
		{
			mail: { ...DEFAULTS.mail, ...options.mail },
			cardRequests: { ...DEFAULTS.cardRequests, ...options.cardRequests },
			cardDisplay: { ...DEFAULTS.cardDisplay, ...options.cardDisplay },
		},
	);
	t.teardown(() => cardPages.close());
	const ledgers = openLedgers({ database, audit, allowance: identity.allowance, engine, logger });
	const checkFailure = checkingFailures(t);
	const destinations = openDestinations({ database, keyRing, audit, clock });
	const baseUrl = () => options.settings?.baseUrl ?? TEST_BASE_URL;
	const providers = openProviders(options.portal?.providersDir ?? null, environment, baseUrl);
	t.teardown(() => providers.close());
	const intake = openIntake({ database, drops, clock, onAccepted: options.onAccepted });
	const parts: AppParts = {
		...{ database, keyRing, identity, audit, vault, drops, clock, logger, formats, profiles, thirdParties },
		...{ gateway, destinations, outbound },
		endpoints: openEventEndpoints({ database, keyRing, audit, clock }),
		routes: openRoutes({ database, keyRing, audit, clock, formats, destinations, folders: options.folders ?? [] }),
		routeControls: openRouteControls({
			...{ database, keyRing, audit, clock, drops, intake },
			pgpKeys: openPgpKeys({ database, keyRing, audit, clock }),
			ends: routeEnds(
				{ database, keyRing, audit, drops, clock },
				{ environment, relay, routes: { folders: options.folders?.join() ?? null } },
			),
		}),
		installation:
			options.portal &&
			openInstallationView(
				{ database, keyRing, identity, audit, clock, blobs, forwarders: [] },
				{ ...DEFAULTS, dataDir: makeFolder(t) },
			),
		portal:
			options.portal &&
			openConfiguredPortal(
				{
					...{ database, keyRing, audit, identity, clock, providers, mails: cardPages.mails },
					failedLogins: options.failedLogins,
					guard: openLoginGuard({ defender: openDefender(clock), clock, settings: defaultDefenderSettings }),
				},
				{
					environment,
					mail: { ...DEFAULTS.mail, ...options.mail },
					portal: { ...DEFAULTS.portal, ...options.portal },
				},
				baseUrl,
			),
		...cardPages,
		elimination,
		engine,
		ledgers,
		intake,
		fileRelay: openFileRelay({
			...{ database, keyRing, engine, ledgers, clock, logger, environment, allowPrivate: true },
			destinations,
			...options.fileRelay,
		}),
		loginLimiter: openLoginLimiter(openDefender(clock, failedLoginSettings), { failed: () => {} }),
		settings: {
			environment: 'sandbox',
			baseUrl: TEST_BASE_URL,
			bodyLimitBytes: 1024 * 1024,
			requestTimeoutMs: 10_000,
			hideSeconds: 30,
			allowPrivate: true,
			...options.settings,
		},
		onAnswered: (seen) => {
			checkFailure(seen);
			options.onAnswered?.(seen);
		},
	};
	const app = await buildApp(parts);
	t.teardown(() => app.close());
	return {
		...parts,
		mails: cardPages.mails,
		providers,
		database,
		clock,
		app,
		logText: () => lines.join(''),
		async createCaller(userId, { permissions, ...more } = {}) {
			const granted = permissions ? new Set(permissions) : allPermissions;
			const { account, secret } = await identity.createAccount({ userId, ...more }, 'operator test', granted);
			const apiKey = secret.reveal();
			return {
				account,
				apiKey,
				inject: (method, url, call = {}) =>
					app.inject({ ...call, method, url, headers: { 'x-service-api-key': apiKey, ...call.headers } }),
			};
		},
	};
}
