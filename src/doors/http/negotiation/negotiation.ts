// Decides the format of an answer (spec §7.2). Matching is exact on purpose, because existing clients rely on it.

export type WireFormat = 'json' | 'xml';

const RECOGNISED: Readonly<Record<string, WireFormat>> = {
	'application/json': 'json',
	'text/json': 'json',
	'application/xml': 'xml',
	'text/xml': 'xml',
};

/** Maps each format to the content type of an answer in that format (spec §7.2.3, shapes §11). */
export const CONTENT_TYPES: Readonly<Record<WireFormat, string>> = {
	json: 'text/json; charset=utf-8',
	xml: 'application/xml; charset=utf-8',
};

/**
 * Returns the format of a successful answer: the first recognised value of `Accept` is used. The header is split at
 * commas, spaces are not trimmed, and case matters (spec §7.2.2); without a recognised value the answer is JSON
 * (shapes §1).
 */
export function successFormat(accept: string | undefined): WireFormat {
	for (const value of (accept ?? '').split(',')) {
		if (Object.hasOwn(RECOGNISED, value)) return RECOGNISED[value];
	}
	return 'json';
}

/** Returns the format of a standard error: JSON only if the whole header is `application/json` (spec §7.2.1). */
export function errorFormat(accept: string | undefined): WireFormat {
	return accept === 'application/json' ? 'json' : 'xml';
}

/** Returns the format of a request body by its `Content-Type` (shapes §1); undefined if neither JSON nor XML. */
export function bodyFormat(contentType: string | undefined): WireFormat | undefined {
	const essence = (contentType ?? '').split(';')[0].trim().toLowerCase();
	if (/^(application|text)\/json$|\+json$/.test(essence)) return 'json';
	if (/^(application|text)\/xml$|\+xml$/.test(essence)) return 'xml';
	return undefined;
}
