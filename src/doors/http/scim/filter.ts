import { readJson } from '../../../base/read-json.ts';
import { isStorable } from './exchange.ts';
import { ScimError } from './scim-error.ts';

/**
 * One comparison, such as `userName eq "anna@agency.example"`. This and what stands between two of them are matched one after
 * the other from the beginning, so that the time grows with the length of the filter and not with its square.
 */
const COMPARISON =
	/(?:urn:ietf:params:scim:schemas:core:2\.0:(?:User|Group):)?([A-Za-z]+(?:\.value)?)\s+eq\s+("(?:[^"\\]|\\.)*")/iy;
const AND = /\s+and\s+/iy;

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
	const filter = text.trim();
	const found: { attribute: Name; value: string }[] = [];
	for (let at = 0; ; ) {
		const [whole = '', name, quoted] = matchAt(COMPARISON, filter, at) ?? [];
		const attribute = attributes.find((each) => each.toLowerCase() === name?.toLowerCase());
		const value = attribute === undefined ? undefined : unquoted(quoted);
		at += whole.length;
		const [and] = (mayBeSeveral && matchAt(AND, filter, at)) || [];
		if (attribute === undefined || value === undefined || (and === undefined && at < filter.length)) {
			const expected = attributes.map((each) => `${each} eq "…"`).join(' or ');
			throw new ScimError(400, `filter: expected ${expected}`, 'invalidFilter');
		}
		found.push({ attribute, value });
		if (and === undefined) return found;
		at += and.length;
	}
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
	pattern.lastIndex = at;
	return pattern.exec(text);
}

function unquoted(text: string): string | undefined {
	const value = readJson(text);
	return typeof value === 'string' && isStorable(value) ? value : undefined;
}
