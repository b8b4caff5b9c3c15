import { type TrialResult, tryFile } from '../../work/jobs/trial.ts';
import { boundEngine } from '../opening/bound-engine.ts';
import { type CommandOpening, openCommandParts } from '../opening/open-parts.ts';
import type { LocalFile } from './local-file.ts';
import { openInput } from './local-streams.ts';

/** Shows what `file tokenize` would do with a local file, without storing or writing anything. */
export async function tryLocalFile(
	context: CommandOpening,
	{ userId, filter, input, options, onProgress }: Omit<LocalFile, 'direction' | 'output' | 'reportPath'>,
): Promise<TrialResult> {
	const parts = await openCommandParts(context);
	const { id: accountId } = await parts.identity.accounts.get(userId);
	const { engine } = await boundEngine(parts, context.settings);
	const source = openInput(input, context.settings.transfer.windowBytes);
	return tryFile({ ...parts, engine }, { accountId, filter, own: options, source, onProgress });
}
