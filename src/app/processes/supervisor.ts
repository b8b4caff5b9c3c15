// Runs a daemon as several equal processes. Each of them opens the whole daemon, and node:cluster spreads the connections
// over them in turn. The supervisor holds the listeners, the operations listener and what must be counted once, and nothing
// of a card: no database, no keys.

import { type Running, withReleases } from '../../base/lifecycle.ts';
import type { Logger } from '../../base/log/log.ts';
import { countProcesses } from '../../base/settings/processes.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { buildOpsApp } from '../../doors/http/server/ops-app.ts';
import { combined, type ReadinessResult } from '../../doors/http/server/readiness.ts';
import { Admission } from '../../doors/sftp/ssh/admission.ts';
import { sftpLimits } from '../daemon-limits.ts';
import { listenForOperations } from '../listening.ts';
import { MergedMetrics, type ProcessMetrics } from '../watches/metrics/merged.ts';
import type { Welcome } from '../welcome.ts';
import type { Hearing } from './line.ts';
import { Place } from './place.ts';
import type { Session, Standing } from './subjects.ts';

export interface Supervisor extends Running {
	readonly welcome: Welcome;
	readonly opsPort: number;
}

/** This error is thrown if the first process ends before it is ready. It has said why. */
export class FirstProcessError extends Error {
	override readonly name = 'FirstProcessError';
	readonly exitCode: number;

	constructor(exitCode: number) {
		super(`the first process has ended with code ${exitCode}`);
		this.exitCode = exitCode;
	}
}

/** A check that a process makes ends after two seconds. */
const READINESS_WITHIN_MS = 4_000;
const METRICS_WITHIN_MS = 8_000;

/**
 * Starts as many processes as the settings say. The first one is started alone, because it may make keys and an account; the others
 * follow together. If one of these ends before it is ready, it is started again later, and the daemon serves meanwhile.
 * @throws FirstProcessError, or if the operations listener cannot be opened
 */
export function openSupervisor({ settings, logger }: { settings: Settings; logger: Logger }): Promise<Supervisor> {
	return withReleases(async (releases) => {
		const count = countProcesses(settings);
		const admission = new Admission(sftpLimits(settings));
		const merged = new MergedMetrics();
		const places: Place[] = [];
		const open = (number: number) => {
			const others = () => places.filter((place) => place !== own);
			const { hearings, leaveAll } = sessionsOf(admission);
			const own = new Place({
				number,
				logger,
				hearings: {
					...hearings,
					standing: () => ({ number, count }) satisfies Standing,
					news: (news: unknown) => {
						for (const place of others()) place.tell('news', news);
					},
				},
				onEnded() {
					leaveAll();
					merged.end(number);
				},
			});
			places.push(own);
			return own;
		};
		const first = open(1);
		for (let number = 2; number <= count; number++) open(number);
		const ops = buildOpsApp({ readiness: () => readinessOf(places), metrics: () => metricsOf(places, merged) });
		releases.add('operations listener', () => ops.close());
		const opsPort = await listenForOperations(ops, settings.ops);
		releases.add('processes', async () => void (await Promise.all(places.map((place) => place.close()))));
		const outcome = await first.begin({ isVital: true });
		if ('code' in outcome) throw new FirstProcessError(outcome.code);
		await Promise.all(places.slice(1).map((place) => place.begin()));
		if (settings.http.tlsCertFile !== null) {
			const reload = () => {
				for (const place of places) place.signal('SIGHUP');
			};
			process.on('SIGHUP', reload);
			releases.add('signal', () => void process.off('SIGHUP', reload));
		}
		return {
			welcome: outcome.welcome,
			opsPort,
			stage: () => releases.current,
			close: () => releases.release(),
		};
	});
}

/** What one process asks about sessions. When it has ended, its sessions have too. */
function sessionsOf(admission: Admission): { hearings: Record<string, Hearing>; leaveAll(): void } {
	const counts = new Map<string, { readonly session: Session; count: number }>();
	const keyOf = ({ address, userName }: Session) => JSON.stringify([address, userName]);
	const leave = (session: Session) => {
		const counted = counts.get(keyOf(session));
		if (!counted) return;
		admission.leaveSession(session.address, session.userName);
		counted.count--;
		if (counted.count === 0) counts.delete(keyOf(session));
	};
	return {
		hearings: {
			enter(session: Session) {
				if (!admission.enterSession(session.address, session.userName)) return false;
				const counted = counts.get(keyOf(session)) ?? { session, count: 0 };
				counted.count++;
				counts.set(keyOf(session), counted);
				return true;
			},
			leave,
		},
		leaveAll() {
			for (const { session, count } of [...counts.values()]) for (let n = 0; n < count; n++) leave(session);
		},
	};
}

/** The daemon is ready while at least one process serves and none of those that serve says otherwise. */
async function readinessOf(places: readonly Place[]): Promise<ReadinessResult[]> {
	const serving = places.filter(({ isReady }) => isReady);
	const asked = await Promise.all(
		serving.map((place) => place.ask<ReadinessResult[]>('readiness', READINESS_WITHIN_MS)),
	);
	const answers = asked.filter((answer) => answer !== undefined);
	const says = [
		...(serving.length < places.length ? [`${serving.length} of ${places.length} processes serve`] : []),
		...(answers.length < serving.length ? [`${serving.length - answers.length} do not answer`] : []),
	];
	const isPassing = serving.length > 0 && answers.length === serving.length;
	return [{ name: 'processes', isPassing, warning: says.join(', ') || undefined }, ...combined(answers)];
}

async function metricsOf(places: readonly Place[], merged: MergedMetrics): ReturnType<MergedMetrics['read']> {
	const note = async (place: Place) => {
		const metrics = await place.ask<ProcessMetrics>('metrics', METRICS_WITHIN_MS);
		if (metrics && place.isReady) merged.note(place.number, metrics);
	};
	await Promise.all(places.map(note));
	return merged.read();
}
