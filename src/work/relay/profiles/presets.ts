// Reads the preset profiles of the installation from files at start. If a file is bad, the start fails with an error
// that names the file and the place of the problem.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ServiceError } from '../../../base/errors.ts';
import type { Profile } from './profile.ts';
import { parseProfile } from './profile-document.ts';
import type { Environment } from './profile-rules.ts';

const PRESET_FILE = /\.(ya?ml|json)$/;

/**
 * Returns every preset of a directory, by name.
 * @throws ServiceError that names each unusable file, and why it cannot be used
 */
export function loadPresets(directory: string, environment: Environment): ReadonlyMap<string, Profile> {
	const presets = new Map<string, Profile>();
	const files = new Map<string, string>();
	const problems: string[] = [];
	for (const file of listFiles(directory)) {
		const path = join(directory, file);
		try {
			const preset = parseProfile(readFileSync(path, 'utf8'), { environment, isPreset: true, source: path });
			const other = files.get(preset.name);
			if (other !== undefined) problems.push(`${path}: the preset ${preset.name} stands in ${other} already`);
			presets.set(preset.name, preset);
			files.set(preset.name, path);
		} catch (error) {
			if (!(error instanceof ServiceError)) throw error;
			problems.push(error.moreInfo ?? error.message);
		}
	}
	if (problems.length > 0) throw new ServiceError('bad-input-data', { moreInfo: problems.join('\n') });
	return new Map([...presets].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function listFiles(directory: string): string[] {
	try {
		const names = readdirSync(directory).filter((name) => PRESET_FILE.test(name));
		return names.sort();
	} catch (cause) {
		const problem = `${directory} cannot be read (${(cause as NodeJS.ErrnoException).code})`;
		throw new ServiceError('bad-input-data', { field: 'relay.presetsDir', problem, cause });
	}
}
