// The options that say how files of an account are decrypted and encrypted.

import { z } from 'zod';
import { COMPRESSIONS } from './message-task.ts';

const keyName = z.string().min(1).max(64);

/** The member `pgp` of the options of files. */
export const messageOptions = z.strictObject({
	/** If true, files that are OpenPGP messages are decrypted before they are processed. */
	accept: z.boolean().optional(),
	/** The own key that opens them; without it, each own key of the account may. */
	with: keyName.optional(),
	/** The keys of those whose signatures count. */
	verifiedBy: z.array(keyName).max(50).optional(),
	/** What becomes of files that nobody of them has signed: refused if signers are named, accepted otherwise. */
	unsigned: z.enum(['refuse', 'accept']).optional(),
	/** The keys for which outputs are encrypted; with none, they are not. */
	outputFor: z.array(keyName).max(50).optional(),
	/** The own key that signs encrypted outputs. */
	signWith: keyName.optional(),
	armor: z.boolean().optional(),
	compress: z.enum(COMPRESSIONS).optional(),
});

export type MessageOptions = z.output<typeof messageOptions>;

/** Returns the names of the keys that options name. */
export function keysIn({ with: own, verifiedBy = [], outputFor = [], signWith }: MessageOptions = {}): string[] {
	return [...new Set([own, ...verifiedBy, ...outputFor, signWith])].filter((name) => name !== undefined);
}
