import type { Settings } from '../../base/settings/settings.ts';

/** Returns the folders of the server that routes may use. */
export function routeFolders({ routes }: Pick<Settings, 'routes'>): readonly string[] {
	return routes.folders === null ? [] : routes.folders.split(',').map((folder) => folder.trim());
}
