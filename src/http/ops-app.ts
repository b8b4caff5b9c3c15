// The operations listener: health, readiness and figures, away from clients.

import Fastify, { type FastifyInstance } from 'fastify';

/** A named check; throws when its part cannot be reached. */
export type ReadinessCheck = readonly [name: string, check: () => Promise<unknown>];

export interface OpsSources {
	readonly checks: readonly ReadinessCheck[];
	/** Prometheus text. */
	metrics(): Promise<{ contentType: string; text: string }>;
}

const CHECK_TIMEOUT_MS = 2_000;

/** Builds the app; listening is the caller's. `/healthz`: the process is up. `/readyz`: what it needs is reachable. */
export function buildOpsApp({ checks, metrics }: OpsSources): FastifyInstance {
	const app = Fastify({ logger: false, forceCloseConnections: true, requestTimeout: 10_000 });
	app.get('/healthz', async () => ({ status: 'ok' }));
	app.get('/readyz', async (_, reply) => {
		const results = await Promise.all(
			checks.map(async ([name, check]) => [name, (await isPassing(check)) ? 'ok' : 'unreachable'] as const),
		);
		const isReady = results.every(([, result]) => result === 'ok');
		return reply
			.code(isReady ? 200 : 503)
			.send({ status: isReady ? 'ok' : 'unavailable', ...Object.fromEntries(results) });
	});
	app.get('/metrics', async (_, reply) => {
		const { contentType, text } = await metrics();
		return reply.type(contentType).send(text);
	});
	return app;
}

async function isPassing(check: () => Promise<unknown>): Promise<boolean> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<boolean>((resolve) => {
		timer = setTimeout(resolve, CHECK_TIMEOUT_MS, false);
	});
	try {
		return await Promise.race([check().then(() => true), timeout]);
	} catch {
		return false;
	} finally {
		clearTimeout(timer);
	}
}
