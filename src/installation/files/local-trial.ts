import { type TrialResult, tryFile } from '../../work/jobs/trial.ts';
import { boundEngine } from '../opening/bound-engine.ts';
import { type CommandOpening, openRooms } from '../opening/open-rooms.ts';
import type { LocalFile } from './local-file.ts';
import { openInput } from './local-streams.ts';

/** Shows what `file tokenize` would do with a local file, without storing or writing anything. */
export async function tryLocalFile(
	context: CommandOpening,
	{ userId, filter, input, options, onProgress }: Omit<LocalFile, 'direction' | 'output' | 'reportPath'>,
): Promise<TrialResult> {
	const rooms = await openRooms(context);
	const { id: accountId } = await rooms.identity.accounts.get(userId);
	const { engine } = boundEngine(rooms, context.settings);
	const source = openInput(input, context.settings.transfer.windowBytes);
	return tryFile({ ...rooms, engine }, { accountId, filter, own: options, source, onProgress });
}
