// Builds the HTTP app without its listener: first the hooks that every request and answer passes, then the routes.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import compress from '@fastify/compress';
import Fastify, { type FastifyInstance, type FastifyServerOptions } from 'fastify';
import { badInput, type ServiceError } from '../../base/errors.ts';
import { openWallet } from '../../work/payments/wallet/wallet.ts';
import { addAccess } from './access/access.ts';
import { parseQuery } from './access/credentials.ts';
import { addPreflights, openCrossOrigin } from './access/cross-origin.ts';
import { openBatches } from './batch/stream.ts';
import { addCalls } from './calls/add-calls.ts';
import type { Call } from './calls/call.ts';
import { openFileJobs } from './files/job.ts';
import { openFileStreams } from './files/stream.ts';
import { openHostedForms } from './forms/hosted-forms.ts';
import { addSubmissions } from './forms/submission.ts';
import { addIdempotency } from './idempotency/idempotency.ts';
import { openOnce } from './idempotency/once.ts';
import { addBodies } from './input/parsers.ts';
import { addQueryNames } from './input/query-names.ts';
import { addIntegrityRoutes } from './integrity/integrity-list.ts';
import { openSamplePages } from './integrity/sample-pages.ts';
import { addOpenApi } from './openapi/openapi.ts';
import { addPageFiles } from './pages/file-routes.ts';
import { addPortal } from './portal/routes.ts';
import { addRequestRoutes } from './requests/request-routes.ts';
import { addViewRoutes } from './requests/view-routes.ts';
import { cardRequestCalls } from './routes/card-requests.ts';
import { associationCalls } from './routes/cards/associations.ts';
import { batchCalls } from './routes/cards/batch.ts';
import { cardDisplayCalls } from './routes/cards/card-display.ts';
import { cvvCalls } from './routes/cards/cvv.ts';
import { dataBlockCalls } from './routes/cards/data-blocks.ts';
import { duplicateCalls } from './routes/cards/duplicate.ts';
import { networkTokenCalls } from './routes/cards/network-token.ts';
import { storeCardCalls } from './routes/cards/store-card.ts';
import { tokenCalls } from './routes/cards/tokens.ts';
import { credentialCalls } from './routes/credentials.ts';
import { eventCalls } from './routes/events.ts';
import { fileRouteCalls } from './routes/file-routes.ts';
import { fileCalls } from './routes/files.ts';
import { formCalls } from './routes/forms.ts';
import { jobCalls } from './routes/jobs.ts';
import { requestCalls } from './routes/requests.ts';
import { serviceCalls } from './routes/service.ts';
import { captureCalls } from './routes/third-parties/capture.ts';
import { fileRelayCalls } from './routes/third-parties/file-relay.ts';
import { gatewayCredentialCalls } from './routes/third-parties/gateway-credentials.ts';
import { gatewayTransactionCalls } from './routes/third-parties/gateway-transactions.ts';
import { inboundCalls } from './routes/third-parties/inbound.ts';
import { paymentGatewayCalls } from './routes/third-parties/payment-gateway.ts';
import { relayCalls } from './routes/third-parties/relay.ts';
import { walletCalls } from './routes/third-parties/wallet.ts';
import { addScim } from './scim/scim-routes.ts';
import { addAccessLog, openAccessLog } from './server/access-log.ts';
import { rememberMethods } from './server/allowed-methods.ts';
import { openCallLog } from './server/call-log.ts';
import { COMPRESSION, packInPieces } from './server/compression.ts';
import { addFailures } from './server/failures.ts';
import { limitServer, type ServerLimits, serverOptions } from './server/limits.ts';
import { SECURITY_HEADERS } from './server/security-headers.ts';
import { answerStrayMessage, makeRequestId, refuseExpectation, strayPaths } from './server/stray-requests.ts';
import type { Tls } from './server/tls.ts';
import { readUnreadBodies } from './server/unread-bodies.ts';
import { buildValidator } from './server/validators.ts';
import type { HttpSettings } from './settings.ts';

declare module 'fastify' {
	interface FastifyContextConfig {
		/** True if the body is read as a stream and may have any length. */
		readonly isStreamed?: boolean;
	}
	interface FastifyInstance {
		/** Tells whether browsers reach this service by TLS, also where a load balancer in front of it ends TLS. */
		isHttps(request: Pick<FastifyRequest, 'protocol'>): boolean;
		readonly calls: readonly Call[];
	}
}

export interface ListenerOptions {
	readonly limits?: ServerLimits;
	readonly tls?: Tls['options'];
	/** Lists the load balancers whose `X-Forwarded-For` header is believed. */
	readonly trustProxy?: FastifyServerOptions['trustProxy'];
}

/** All calls of the interface, as functions that name the parts which their calls use. */
const CALLS = [
	serviceCalls,
	requestCalls,
	credentialCalls,
	storeCardCalls,
	tokenCalls,
	associationCalls,
	cvvCalls,
	duplicateCalls,
	networkTokenCalls,
	dataBlockCalls,
	batchCalls,
	fileCalls,
	fileRelayCalls,
	jobCalls,
	fileRouteCalls,
	eventCalls,
	relayCalls,
	captureCalls,
	inboundCalls,
	paymentGatewayCalls,
	gatewayTransactionCalls,
	gatewayCredentialCalls,
	cardRequestCalls,
	cardDisplayCalls,
	walletCalls,
	formCalls,
];

/** The parts that functions name as their first parameter, all together. */
type PartsOf<Functions> = [Functions] extends [(parts: infer Parts, ...rest: never[]) => unknown] ? Parts : never;

/** Opens what the app hands to its calls besides what it is given. */
function openForCalls(
	parts: PartsOf<
		| typeof openHostedForms
		| typeof openCallLog
		| typeof openWallet
		| typeof openOnce
		| typeof openFileStreams
		| typeof openFileJobs
		| typeof openBatches
	>,
) {
	return {
		...openHostedForms(parts),
		callLog: openCallLog(parts),
		wallet: openWallet(parts),
		once: openOnce(parts),
		fileStreams: openFileStreams(parts),
		fileJobs: openFileJobs(parts),
		batches: openBatches(parts),
	};
}
type Opened = ReturnType<typeof openForCalls>;

/** What has to be open before the app is built. Nothing is listed here: each call, hook and page names what it uses. */
export type AppParts = Omit<PartsOf<(typeof CALLS)[number]>, keyof Opened> &
	PartsOf<typeof openForCalls | typeof openAccessLog | typeof openSamplePages> &
	Parameters<typeof addAccess>[1] &
	Parameters<typeof addIdempotency>[1] &
	Parameters<typeof addViewRoutes>[1] &
	Parameters<typeof addRequestRoutes>[1] &
	Parameters<typeof addScim>[1] &
	Omit<Parameters<typeof addPortal>[1], keyof Opened> & { settings: HttpSettings };

/** Builds the app. The caller starts its listener. */
export async function buildApp(
	parts: AppParts,
	{ limits, tls, trustProxy }: ListenerOptions = {},
): Promise<FastifyInstance> {
	const { settings, logger } = parts;
	const opened = openForCalls(parts);
	const { callLog, wallet, forms, pages, styles } = opened;
	const accessLog = openAccessLog(parts, callLog);
	const app = Fastify({
		...serverOptions(tls),
		trustProxy,
		frameworkErrors: strayPaths(accessLog),
		clientErrorHandler: answerStrayMessage,
		logger: false,
		genReqId: makeRequestId,
		bodyLimit: settings.bodyLimitBytes,
		// Node's limit on the time of a request is switched off, because it would also apply to streamed files.
		// `addBodyTimeout` limits the time of other bodies.
		requestTimeout: 0,
		routerOptions: { querystringParser: parseQuery, maxParamLength: 256 },
		forceCloseConnections: 'idle',
		// Plugins may take as long as they need to load, so that a busy machine does not make the start fail.
		pluginTimeout: 0,
		// While the daemon stops, requests on open connections are still served. Fastify would refuse them with a 503
		// that does not have the form of our errors.
		return503OnClosing: false,
		ajv: { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: false } },
		schemaController: { compilersFactory: { buildValidator } },
	});
	app.decorate('isHttps', ({ protocol }) => protocol === 'https' || settings.baseUrl.startsWith('https:'));
	limitServer(app.server, limits);
	app.server.on('checkExpectation', refuseExpectation);
	// Node remembers the remote address of a connection after it was read once. We read it now, so that a failed login
	// can be attributed after the client has hung up.
	for (const event of ['connection', 'secureConnection']) {
		app.server.on(event, (socket: Socket) => void socket.remoteAddress);
	}
	const answerStray = rememberMethods(app);
	app.setNotFoundHandler(answerStray);
	addFailures(app, logger);
	addAccessLog(app, accessLog, logger);
	app.addHook('onClose', () => callLog.close());
	app.addHook('onRequest', (request, reply, done) => {
		reply.headers(SECURITY_HEADERS).header('x-request-id', request.id);
		// Only a caller who names an encoding gets a compressed answer (spec §4); `*` names none.
		const { headers, raw } = request;
		if (!/\b(gzip|deflate)\b/i.test(headers['accept-encoding'] ?? '')) delete headers['accept-encoding'];
		done(findHeadProblem(raw));
	});
	await app.register(compress, COMPRESSION);
	const crossOrigin = openCrossOrigin(parts.identity.origins);
	addAccess(app, parts, { wallet, crossOrigin, answerStray });
	addBodyTimeout(app, settings.requestTimeoutMs);
	readUnreadBodies(app);
	addQueryNames(app);
	addBodies(app);
	addIdempotency(app, parts);
	packInPieces(app);
	const calls = CALLS.flatMap((callsOver) => callsOver({ ...parts, ...opened }));
	app.decorate('calls', calls);
	addPageFiles(app);
	const samples = openSamplePages(parts);
	addViewRoutes(app, parts, styles, samples);
	addRequestRoutes(app, parts, opened, samples);
	addIntegrityRoutes(app, parts, samples);
	await addSubmissions(app, { ...parts, forms, pages });
	await addPortal(app, { ...parts, callLog });
	await addScim(app, parts);
	await addOpenApi(app, parts, calls);
	await addCalls(app, calls);
	addPreflights(app, calls, crossOrigin);
	return app;
}

/** A host with or without a port, in the signs that RFC 3986 allows there, but for commas. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+;=%-]*)(?::\d*)?$/i;

/** Returns what in the head of a request makes it invalid for every route, or undefined if there is nothing. */
function findHeadProblem({ url, headers, rawHeaders, httpVersion }: IncomingMessage): ServiceError | undefined {
	if (headers.host === undefined && httpVersion === '1.1') return badInput('Host', 'is required');
	// With two hosts, or another one in the address, what stands before us may have checked the other one.
	const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
	if (hosts.length > 1) return badInput('Host', 'expected once');
	// A proxy may have joined two headers, and `a@b` is one host to some programs and another one to others.
	if (headers.host !== undefined && !HOST.test(headers.host)) return badInput('Host', 'expected one host');
	if (url !== undefined && !url.startsWith('/') && url !== '*' && !isAtHost(url, headers.host)) {
		return badInput('address', 'must be a path, or an address at the host of the header Host');
	}
	// A URL with `#` is refused, because the router would find a query after the `#`, perhaps with credentials, but
	// other code that examines the URL would not see that query.
	return url?.includes('#') ? badInput('address', 'must not contain a fragment') : undefined;
}

function isAtHost(address: string, host: string | undefined): boolean {
	const found = /^https?:\/\/([^/?#]*)/i.exec(address);
	return found?.[1].toLowerCase() === host?.toLowerCase();
}

/** Ends a request whose body comes too slowly. Routes that stream it are exempt: they stay open while bytes come. */
function addBodyTimeout(app: FastifyInstance, timeoutMs: number): void {
	app.addHook('preParsing', ({ raw, routeOptions, is404 }, reply, _payload, done) => {
		const hasBody = raw.headers['content-length'] !== undefined || raw.headers['transfer-encoding'] !== undefined;
		if (hasBody && !routeOptions.config.isStreamed && !is404) {
			const timer = setTimeout(() => raw.destroy(), timeoutMs);
			raw.once('end', () => clearTimeout(timer));
			reply.raw.once('close', () => clearTimeout(timer));
		}
		done();
	});
}
