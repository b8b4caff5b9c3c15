// Reads YAML files in which an operator declares something, such as a payment gateway, and says what is wrong with them.

import { LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';

/** Carries every problem of a declaration, each with file, line and key. */
export class DeclarationError extends Error {
	override readonly name = 'DeclarationError';
}

/** Returns the place of a key in the file, for error messages about its value. */
export type PlaceOf = (path: readonly PropertyKey[]) => string;

/**
 * Reads a declaration that obeys a schema.
 * @throws DeclarationError
 */
export function parseDeclared<Schema extends z.ZodType>(
	schema: Schema,
	text: string,
	file: string,
): { readonly declaration: z.infer<Schema>; readonly placeOf: PlaceOf } {
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines });
	if (document.errors.length > 0) {
		throw new DeclarationError(
			document.errors.map(({ pos, code }) => `${file}:${lines.linePos(pos[0]).line}: not YAML (${code})`).join('\n'),
		);
	}
	const placeOf: PlaceOf = (path) => {
		// If the key itself is missing, the place of the nearest existing element around it is shown.
		for (let length = path.length; length > 0; length--) {
			const node = document.getIn(path.slice(0, length), true) as { range?: [number] } | undefined;
			if (node?.range) return `${file}:${lines.linePos(node.range[0]).line}: ${path.map(String).join('.')}`;
		}
		return `${file}:1: ${path.map(String).join('.')}`;
	};
	const parsed = schema.safeParse(document.toJS());
	if (parsed.success) return { declaration: parsed.data, placeOf };
	throw new DeclarationError(parsed.error.issues.map(({ path, message }) => `${placeOf(path)}: ${message}`).join('\n'));
}
