// A line of the file of heads: how many entries the trail had at a time and the hash of the last of them. It can be read
// without any key; the seal, under the environment key, says that a daemon wrote it. Each names the line before it, so
// that lines cannot be taken out.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { KeyId } from '../database/ids.ts';
import type { TopSealer } from '../keys/key-ring.ts';

const contentSchema = z.strictObject({
	/** ISO. */
	at: z.string(),
	entries: z.int().min(1),
	/** Of the last entry. */
	hash: z.string(),
	/** Id of the audit key the head was signed under. */
	auditKey: z.int(),
	/** Hash of the line before, as `hashOfLine` has it. */
	previous: z.string(),
	environmentKey: z.int().transform((id) => id as KeyId),
});
const lineSchema = contentSchema.extend({ seal: z.string() });

export type HeadLine = Readonly<z.infer<typeof lineSchema>>;
export type HeadLineContent = Omit<HeadLine, 'environmentKey' | 'seal'>;

/** What the first line of a file names as the one before it. */
export const NO_LINE = '0'.repeat(64);

const LABEL = Buffer.from('tokendrop head of the audit trail');

/** One line of JSON without its end of line. */
export function writeHeadLine(content: HeadLineContent, sealer: TopSealer): string {
	const sealed = { ...content, environmentKey: sealer.keyId };
	const seal = sealer.seal(Buffer.from(canonical(sealed)), LABEL).toString('base64');
	return JSON.stringify({ ...sealed, seal });
}

/** Undefined when it is no line that a daemon wrote whole. */
export function parseHeadLine(text: string): HeadLine | undefined {
	try {
		return lineSchema.safeParse(JSON.parse(text)).data;
	} catch {
		return undefined;
	}
}

/** Whether the seal is that of the content. */
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

function canonical({ at, entries, hash, auditKey, previous, environmentKey }: Omit<HeadLine, 'seal'>): string {
	return JSON.stringify([at, entries, hash, auditKey, previous, environmentKey]);
}
