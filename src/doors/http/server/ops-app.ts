// Builds the app of the operations listener, which serves health, readiness and metrics on a port of its own.

import Fastify, { type FastifyInstance } from 'fastify';
import type { ReadinessResult } from './readiness.ts';

/**
 * Builds the app; the caller starts its listener. `/healthz` says that the process runs, and `/readyz` says whether
 * everything that the process needs is reachable.
 */
export function buildOpsApp(options: {
	readiness(): Promise<readonly ReadinessResult[]>;
	metrics(): Promise<{ contentType: string; text: string }>;
}): FastifyInstance {
	const { readiness, metrics } = options;
	const app = Fastify({ logger: false, forceCloseConnections: true, requestTimeout: 10_000 });
	app.get('/healthz', async () => ({ status: 'ok' }));
	app.get('/readyz', async (_, reply) => {
		const results = await readiness();
		const isReady = results.every(({ isPassing }) => isPassing);
		const states = results.map(({ name, isPassing }) => [name, isPassing ? 'ok' : 'unreachable']);
		const warnings = results.flatMap(({ name, warning }) => (warning === undefined ? [] : [[name, warning]]));
		const details = results.flatMap(({ name, detail }) => (detail === undefined ? [] : [[name, detail]]));
		return reply.code(isReady ? 200 : 503).send({
			status: statusOf(results),
			...Object.fromEntries(states),
			...(warnings.length > 0 && { warnings: Object.fromEntries(warnings) }),
			...(details.length > 0 && { details: Object.fromEntries(details) }),
		});
	});
	app.get('/metrics', async (_, reply) => {
		const { contentType, text } = await metrics();
		return reply.type(contentType).send(text);
	});
	return app;
}

/** Without these parts no card can be stored. */
const NEEDED = new Set(['processes', 'database', 'keys']);

/** Says `degraded` while cards can still be stored, but something else fails or there is a warning. */
function statusOf(results: readonly ReadinessResult[]): 'ok' | 'degraded' | 'unavailable' {
	if (results.some(({ name, isPassing }) => !isPassing && NEEDED.has(name))) return 'unavailable';
	return results.every(({ isPassing, warning }) => isPassing && warning === undefined) ? 'ok' : 'degraded';
}
