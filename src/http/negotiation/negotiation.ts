// Which format an answer takes (spec §7.2). Matching is exact on purpose: clients written against the service rely on it.

export type WireFormat = 'json' | 'xml';

const RECOGNISED: Readonly<Record<string, WireFormat>> = {
	'application/json': 'json',
	'text/json': 'json',
	'application/xml': 'xml',
	'text/xml': 'xml',
};

/** Content types of answers (spec §7.2.3, shapes §11). */
export const CONTENT_TYPES: Readonly<Record<WireFormat, string>> = {
	json: 'text/json; charset=utf-8',
	xml: 'application/xml; charset=utf-8',
};

/**
 * Format of a successful answer: the first recognised value of `Accept` wins. The header is split at commas, spaces are
 * not trimmed, case counts (spec §7.2.2); nothing recognised means JSON (shapes §1).
 */
export function successFormat(accept: string | undefined): WireFormat {
	for (const value of (accept ?? '').split(',')) {
		if (Object.hasOwn(RECOGNISED, value)) return RECOGNISED[value];
	}
	return 'json';
}

/** Format of a standard error: JSON exactly when the whole header is `application/json` (spec §7.2.1). */
export function errorFormat(accept: string | undefined): WireFormat {
	return accept === 'application/json' ? 'json' : 'xml';
}

/** Format of a request body by its `Content-Type` (shapes §1); undefined when it is neither. */
export function bodyFormat(contentType: string | undefined): WireFormat | undefined {
	const essence = (contentType ?? '').split(';')[0].trim().toLowerCase();
	if (/^(application|text)\/json$|\+json$/.test(essence)) return 'json';
	if (/^(application|text)\/xml$|\+xml$/.test(essence)) return 'xml';
	return undefined;
}
