// Lists every setting of the schema with its key, the name of its environment variable, and its texts.

import { z } from 'zod';
import type { KeyNotes } from './keys.ts';
import { schema } from './schema.ts';

/**
 * The variable that holds the master key. The schema does not have the master key, because it may come from nowhere
 * else.
 */
export const MASTER_KEY_VARIABLE = 'TOKENDROP_MASTER_KEY';
export const MASTER_KEY_NOTES: KeyNotes = {
	rule: '64 hexadecimal characters or base64 of 32 bytes, together with keys.provider: env',
	example: 'the output of: openssl rand -hex 32',
};

/** Describes one key that holds a value and not further keys. */
export interface Leaf {
	/** The key as people write it, for example `sftp.maxSessions`. */
	readonly key: string;
	readonly path: readonly string[];
	/** The name of the environment variable that sets the key, for example `TOKENDROP_SFTP_MAX_SESSIONS`. */
	readonly variable: string;
	readonly schema: z.ZodType;
	readonly notes: KeyNotes;
}

/** Lists every key that holds a value and not further keys, in the order of the schema. */
export const leaves: readonly Leaf[] = leavesOf(schema, []);

function leavesOf(section: z.ZodObject, path: readonly string[]): Leaf[] {
	return Object.entries(section.shape as Record<string, z.ZodType>).flatMap(([name, inner]) => {
		const innerPath = [...path, name];
		if (inner instanceof z.ZodObject) return leavesOf(inner, innerPath);
		const key = innerPath.join('.');
		return { key, path: innerPath, variable: variableOf(innerPath), schema: inner, notes: inner.meta() as never };
	});
}

function variableOf(path: readonly string[]): string {
	const words = path.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
	return `TOKENDROP_${words.join('_')}`;
}
