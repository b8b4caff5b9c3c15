import { type TrialResult, tryFile } from '../jobs/trial.ts';
import { readPieces } from '../transfer/file-source.ts';
import { boundEngine } from './bound-engine.ts';
import type { LocalFile } from './local-file.ts';
import { type CommandOpening, openRooms } from './open-rooms.ts';

/** Shows what `file tokenize` would do with a local file, without storing or writing anything. */
export async function tryLocalFile(
	context: CommandOpening,
	{ userId, filter, input, options, onProgress }: Omit<LocalFile, 'direction' | 'output' | 'reportPath'>,
): Promise<TrialResult> {
	const rooms = await openRooms(context);
	const { id: accountId } = await rooms.identity.accounts.get(userId);
	const { engine } = boundEngine(rooms, context.settings);
	const source = readPieces(input, context.settings.transfer.windowBytes);
	return tryFile({ ...rooms, engine }, { accountId, filter, own: options, source, onProgress });
}
