import { formats } from '../../formats/index.ts';
import { systemClock } from '../clock.ts';
import type { Settings } from '../settings.ts';
import { type AccountDirectory, type TransferEngine, transferEngine } from '../transfer/engine.ts';
import { accountDirectory } from './account-directory.ts';
import type { Rooms } from './open-rooms.ts';

/** The engine over open rooms, for every format, and what it knows of accounts: one way for jobs, HTTP and commands. */
export function boundEngine(
	{ database, keyRing, identity }: Pick<Rooms, 'database' | 'keyRing' | 'identity'>,
	settings: Pick<Settings, 'transfer'>,
): { readonly engine: TransferEngine; readonly accounts: AccountDirectory } {
	const accounts = accountDirectory(identity);
	const clock = systemClock;
	const engine = transferEngine({ database, keyRing, formats, accounts, clock, limits: settings.transfer });
	return { engine, accounts };
}
