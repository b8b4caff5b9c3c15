import { availableParallelism } from 'node:os';
import type { Settings } from './settings.ts';

type Given = Pick<Settings, 'processes' | 'databaseUrl'>;

/** Returns how many processes share the work. SQLite has one writer, so that it is one there. */
export function countProcesses({ processes, databaseUrl }: Given): number {
	if (processes !== 'auto') return processes;
	return databaseUrl.startsWith('sqlite:') ? 1 : availableParallelism();
}

const MOST_CONNECTIONS = 10;
const LEAST_CONNECTIONS = 4;
/** With more than two processes, they share so many connections, because PostgreSQL has no more than a hundred by default. */
const SHARED_CONNECTIONS = 20;

/** Returns how many connections to PostgreSQL each process, and each of its threads with jobs, may open. */
export function connectionsOf(settings: Given): number {
	const part = Math.floor(SHARED_CONNECTIONS / countProcesses(settings));
	return Math.min(MOST_CONNECTIONS, Math.max(LEAST_CONNECTIONS, part));
}
