// Makes a format of a plugin, with which the engine works as with those of `formats/`.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Format } from '../../src/engine/format.ts';
import { MAX_SOURCE_BYTES, type Plugin, parseManifest } from './manifest.ts';
import { PluginProcess } from './process.ts';
import { PluginScanner, type PluginScannerOptions } from './scanner.ts';

export type PluginFormatOptions = Pick<
	PluginScannerOptions,
	'requireAllowed' | 'takeLane' | 'patience' | 'tellsPositions'
>;

export function pluginFormat(plugin: Plugin, options: PluginFormatOptions = {}): Format {
	const { filter, tokenCase } = plugin.manifest;
	return {
		filter,
		tokenCase,
		options: z.strictObject({}),
		scanner: (_, direction) => new PluginScanner({ ...options, plugin, direction }),
	};
}

/**
 * Loads a plugin once, in a process as those that scan files, and asks what it says of itself.
 * @throws Error that says why the file is no plugin
 */
export async function readPlugin(source: string): Promise<Plugin> {
	if (Buffer.byteLength(source) > MAX_SOURCE_BYTES) throw new Error(`a plugin may have ${MAX_SOURCE_BYTES} bytes`);
	const process = new PluginProcess();
	try {
		return { source, sha256: hashOf(source), manifest: parseManifest(await process.begin(source, 'tokenize')) };
	} finally {
		process.close();
	}
}

/** Returns the SHA-256 of a plugin's source in hexadecimal digits. */
export function hashOf(source: string): string {
	return createHash('sha256').update(source).digest('hex');
}
