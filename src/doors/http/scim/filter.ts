import { ScimError } from './scim-error.ts';

/** One comparison, such as `userName eq "anna@agency.example"`. */
const COMPARISON =
	/^(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?([A-Za-z]+(?:\.value)?)\s+eq\s+("(?:[^"\\]|\\.)*")$/i;
/** Stands between two comparisons; one within quotes is text. */
const AND = /\s+and\s+(?=(?:[^"\\]|\\.|"(?:[^"\\]|\\.)*")*$)/i;

/**
 * Reads a filter (RFC 7644, section 3.4.2.2). Those that directories send are understood: an attribute that is equal to a
 * text, and, where `mayBeSeveral`, more of them that hold together.
 * @throws ScimError for any other
 */
export function readFilter<const Name extends string>(
	text: string | undefined,
	attributes: readonly Name[],
	{ mayBeSeveral = false } = {},
): readonly { readonly attribute: Name; readonly value: string }[] {
	if (text === undefined) return [];
	const parts = mayBeSeveral ? text.trim().split(AND) : [text.trim()];
	return parts.map((part) => {
		const [, name, quoted] = COMPARISON.exec(part) ?? [];
		const attribute = attributes.find((each) => each.toLowerCase() === name?.toLowerCase());
		const value = attribute === undefined ? undefined : unquoted(quoted);
		if (attribute === undefined || value === undefined) {
			const expected = attributes.map((each) => `${each} eq "…"`).join(' or ');
			throw new ScimError(400, `filter: expected ${expected}`, 'invalidFilter');
		}
		return { attribute, value };
	});
}

function unquoted(text: string): string | undefined {
	try {
		return JSON.parse(text) as string;
	} catch {
		return undefined;
	}
}
