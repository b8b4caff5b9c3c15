import { formats } from '../../../formats/index.ts';
import type { Format } from '../../engine/format.ts';
import { pluginFormats } from '../../work/plugins/plugins.ts';

/** Opens all formats of an installation by filter value: our own, and those of the plugins that its operators have allowed. */
export async function openFormats(parts: Parameters<typeof pluginFormats>[0]): Promise<ReadonlyMap<string, Format>> {
	const plugins = await pluginFormats(parts);
	return new Map([...formats, ...plugins.map((format) => [format.filter, format] as const)]);
}
