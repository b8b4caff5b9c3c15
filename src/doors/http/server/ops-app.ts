// Builds the app of the operations listener, which serves health, readiness and metrics on a port of its own.

import Fastify, { type FastifyInstance } from 'fastify';

/**
 * A named check of one part that the daemon needs. It throws if the part cannot be reached. A text it returns is a
 * warning, which does not make the daemon unready.
 */
export type ReadinessCheck = readonly [name: string, check: () => Promise<unknown>];

export interface OpsSources {
	readonly checks: readonly ReadinessCheck[];
	/** Returns the metrics as Prometheus text. */
	metrics(): Promise<{ contentType: string; text: string }>;
}

const CHECK_TIMEOUT_MS = 2_000;

/**
 * Builds the app; the caller starts its listener. `/healthz` says that the process runs, and `/readyz` says whether
 * everything that the process needs is reachable.
 */
export function buildOpsApp({ checks, metrics }: OpsSources): FastifyInstance {
	const app = Fastify({ logger: false, forceCloseConnections: true, requestTimeout: 10_000 });
	app.get('/healthz', async () => ({ status: 'ok' }));
	app.get('/readyz', async (_, reply) => {
		const results = await Promise.all(checks.map(async ([name, check]) => ({ name, ...(await resultOf(check)) })));
		const isReady = results.every(({ isPassing }) => isPassing);
		const states = results.map(({ name, isPassing }) => [name, isPassing ? 'ok' : 'unreachable']);
		const warnings = results.flatMap(({ name, warning }) => (warning === undefined ? [] : [[name, warning]]));
		return reply.code(isReady ? 200 : 503).send({
			status: statusOf(results),
			...Object.fromEntries(states),
			...(warnings.length > 0 && { warnings: Object.fromEntries(warnings) }),
		});
	});
	app.get('/metrics', async (_, reply) => {
		const { contentType, text } = await metrics();
		return reply.type(contentType).send(text);
	});
	return app;
}

/** Without these parts no card can be stored. */
const NEEDED = new Set(['database', 'keys']);

/** Says `degraded` while cards can still be stored, but something else fails or there is a warning. */
function statusOf(results: readonly (CheckResult & { readonly name: string })[]): 'ok' | 'degraded' | 'unavailable' {
	if (results.some(({ name, isPassing }) => !isPassing && NEEDED.has(name))) return 'unavailable';
	return results.every(({ isPassing, warning }) => isPassing && warning === undefined) ? 'ok' : 'degraded';
}

interface CheckResult {
	readonly isPassing: boolean;
	readonly warning?: string;
}

async function resultOf(check: () => Promise<unknown>): Promise<CheckResult> {
	let timer: NodeJS.Timeout | undefined;
	const timeout = new Promise<CheckResult>((resolve) => {
		timer = setTimeout(resolve, CHECK_TIMEOUT_MS, { isPassing: false });
	});
	const passed = async (): Promise<CheckResult> => {
		const said = await check();
		return { isPassing: true, warning: typeof said === 'string' ? said : undefined };
	};
	try {
		return await Promise.race([passed(), timeout]);
	} catch {
		return { isPassing: false };
	} finally {
		clearTimeout(timer);
	}
}
