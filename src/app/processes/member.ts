// A process of a daemon that has several: what it hears from its supervisor, and tells it.

import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import process from 'node:process';
import type { ProcessPort } from '../../base/lifecycle.ts';
import type { Siblings } from '../../base/siblings.ts';
import type { ReadinessResult } from '../../doors/http/server/readiness.ts';
import type { SessionPlaces } from '../../doors/sftp/ssh/admission.ts';
import type { ProcessMetrics } from '../watches/metrics/merged.ts';
import type { Welcome } from '../welcome.ts';
import { Line, type LineEnd } from './line.ts';
import type { Session, Standing } from './subjects.ts';

/** What the supervisor asks a process, to show it together with what the others answer. */
export interface MemberFigures {
	readiness(): Promise<readonly ReadinessResult[]>;
	metrics(): Promise<ProcessMetrics>;
}

export interface Member extends Standing {
	/** The places for sFTP sessions, which the supervisor counts for all processes. */
	readonly admission: SessionPlaces;
	readonly siblings: Siblings;
	/** Stands for this process where signals are heard. Only the supervisor stops a process of a daemon. */
	readonly host: ProcessPort;
	answerWith(figures: MemberFigures): void;
	ready(welcome: Welcome): void;
	/** Lets the process end when nothing else keeps it. */
	leave(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns the process among its siblings if a supervisor has started it, otherwise undefined. */
export async function findMember(): Promise<Member | undefined> {
	if (!cluster.isWorker) return undefined;
	// A terminal or a service manager also sends its signals to each process. The supervisor gets them too.
	for (const name of SIGNALS) process.on(name, () => {});
	const stops = new EventEmitter();
	const listeners = new EventEmitter();
	let isStopping = false;
	let figures: MemberFigures | undefined;
	const end = process as unknown as LineEnd;
	const line = new Line(end, {
		stop() {
			isStopping = true;
			stops.emit('SIGTERM', 'SIGTERM');
		},
		news: ({ topic, news }: { topic: string; news: unknown }) => void listeners.emit(topic, news),
		readiness: () => figures?.readiness() ?? [],
		metrics: () => figures?.metrics() ?? [],
	});
	const standing = await line.ask<Standing>('standing');
	let sessions = 0;
	return {
		...standing,
		admission: {
			get sessions() {
				return sessions;
			},
			async enterSession(address, userName) {
				const asked = line.ask<boolean>('enter', { address, userName } satisfies Session);
				// Without its supervisor this process ends.
				const isIn = await asked.catch(() => false);
				if (isIn) sessions++;
				return isIn;
			},
			leaveSession(address, userName) {
				sessions--;
				line.tell('leave', { address, userName } satisfies Session);
			},
		},
		siblings: {
			tell: (topic, news) => line.tell('news', { topic, news }),
			hear: (topic, listener) => void listeners.on(topic, listener),
		},
		host: {
			on(name, listener) {
				stops.on(name, listener);
				if (isStopping && name === 'SIGTERM') listener('SIGTERM');
				return stops;
			},
			off: (name, listener) => stops.off(name, listener),
			listenerCount: (name) => stops.listenerCount(name),
			exit: (code) => process.exit(code),
		} as ProcessPort,
		answerWith: (given) => void (figures = given),
		ready: (welcome) => line.tell('ready', welcome),
		leave() {
			line.close();
			process.channel?.unref();
		},
	};
}
