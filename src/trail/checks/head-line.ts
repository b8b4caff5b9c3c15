// Writes and reads the lines of the file of heads. A line says how many entries the trail had at a time, and the hash
// of the last of them. It can be read without any key; its seal, under the environment key, proves that a daemon wrote
// it. Each line names the one before it, so that a removed line is noticed.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { KeyId } from '../../base/database/ids.ts';
import type { TopSealer } from '../../base/keys/key-ring.ts';
import { readJson } from '../../base/read-json.ts';

const contentSchema = z.strictObject({
	/** The time, as ISO 8601. */
	at: z.string(),
	entries: z.int().min(1),
	hash: z.string(),
	/** The id of the audit key that signed the head. */
	auditKey: z.int(),
	/** The hash of the previous line, as `hashOfLine` computes it. */
	previous: z.string(),
	/** Number and hash of the last link of the main chain; absent in a trail of one lane. */
	link: z.tuple([z.int().min(1), z.string()]).optional(),
	environmentKey: z.int().transform((id) => id as KeyId),
});
const lineSchema = contentSchema.extend({ seal: z.string() });

export type HeadLine = Readonly<z.infer<typeof lineSchema>>;
export type HeadLineContent = Omit<HeadLine, 'environmentKey' | 'seal'>;

/** The first line of a file gives this value in place of the hash of a previous line. */
export const NO_LINE = '0'.repeat(64);

const LABEL = Buffer.from('tokendrop head of the audit trail');

export function writeHeadLine(content: HeadLineContent, sealer: TopSealer): string {
	const sealed = { ...content, environmentKey: sealer.keyId };
	const seal = sealer.seal(Buffer.from(canonical(sealed)), LABEL).toString('base64');
	return JSON.stringify({ ...sealed, seal });
}

/** Reads a line; returns undefined if the text is not a complete line of a daemon. */
export function parseHeadLine(text: string): HeadLine | undefined {
	return lineSchema.safeParse(readJson(text)).data;
}

export function isSealOf(line: HeadLine, open: (sealed: Buffer, label: Buffer) => Buffer): boolean {
	try {
		return open(Buffer.from(line.seal, 'base64'), LABEL).toString() === canonical(line);
	} catch (error) {
		if ((error as Error).name === 'SealError') return false;
		throw error;
	}
}

export function hashOfLine(text: string): string {
	return text === '' ? NO_LINE : createHash('sha256').update(text).digest('hex');
}

function canonical({ at, entries, hash, auditKey, previous, link, environmentKey }: Omit<HeadLine, 'seal'>): string {
	return JSON.stringify([at, entries, hash, auditKey, previous, environmentKey, ...(link ? [link] : [])]);
}
