import { z } from 'zod';
import { EXPIRY_FORMATS } from '../../src/base/card/expiry.ts';
import { holdsCardNumber } from '../../src/base/card/spelling/spelled-number.ts';

/** A source may have this many bytes. */
export const MAX_SOURCE_BYTES = 262_144;

const text = (most: number) =>
	z
		.string()
		.min(1)
		.max(most)
		.regex(/^[^\p{Cc}]*$/u, 'expected one line')
		.refine((given) => !holdsCardNumber(given), 'expected no card number');

/**
 * What a plugin says of itself before it has seen a byte of a file. A plugin can say no other words, so no text of it can
 * hold content of a file.
 */
const manifest = z.strictObject({
	filter: z.string().regex(/^[A-Z][A-Z0-9]{2,15}$/, 'expected 3 to 16 capital letters and digits'),
	title: text(100),
	tokenCase: z.enum(['lower', 'upper']).default('lower'),
	/** Without it, the shape of an expiry decides how it is read. */
	expiryFormat: z.enum(EXPIRY_FORMATS).optional(),
	/** What may be wrong with a file. A plugin refuses a file by the index of one of them. */
	faults: z.array(text(200)).max(50).default([]),
});

export type Manifest = z.output<typeof manifest>;

/** A plugin of a format as an operator has allowed it. */
export interface Plugin {
	readonly manifest: Manifest;
	readonly source: string;
	/** The SHA-256 of the source in hexadecimal digits. */
	readonly sha256: string;
}

/**
 * Reads what a plugin says of itself.
 * @throws Error that names each member and what is wrong with it
 */
export function parseManifest(said: string): Manifest {
	const given: unknown = JSON.parse(said);
	const failed = z.object({ failed: z.string() }).safeParse(given);
	if (failed.success) throw new Error(`the plugin cannot be loaded: ${failed.data.failed}`);
	const parsed = manifest.safeParse(given);
	if (parsed.success) return parsed.data;
	const problems = parsed.error.issues.map(
		({ path, message }) => `${path.join('.') || 'the default export'}: ${message}`,
	);
	throw new Error(`the plugin does not describe a format: ${problems.join('; ')}`);
}
