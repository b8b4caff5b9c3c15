// Fetches our payment pages through their public URL, as a browser does, and compares them with the list of what they are
// made of. So it notices what something between us and cardholders has changed: a proxy, a CDN, a name that leads
// elsewhere.

import { maskCardNumbers } from '../../../base/log/card-numbers.ts';
import { type IntegrityList, integrityOf, type ListedPage, NONCE } from './integrity-list.ts';
import type { SampleName } from './sample-links.ts';

/** Something that is not as the list has it. */
export interface PageDifference {
	readonly of: string;
	readonly what: string;
}

/** This error is thrown if pages could not be fetched, so that nothing is known about them. */
export class PagesNotReachedError extends Error {
	override readonly name = 'PagesNotReachedError';
}

interface Fetched {
	readonly status: number;
	readonly headers: Headers;
	readonly body: Buffer;
}

const TIMEOUT_MS = 15_000;
/** Longer answers are read up to here; all that we send is shorter. */
const MAX_BYTES = 1024 * 1024;
/** A browser's request, because a page may be changed for browsers only. */
const BROWSER = {
	accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
	'accept-language': 'en-US,en;q=0.5',
	'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
};
/** With these headers an answer makes browsers load, run or show something; our pages have none of them. */
const UNWANTED = [
	...['link', 'refresh', 'speculation-rules', 'service-worker-allowed', 'access-control-allow-origin'],
	...['content-security-policy-report-only', 'x-frame-options'],
];
const NONCE_SOURCE = /script-src 'nonce-([A-Za-z0-9+/_=-]{16,64})'/;
const MAX_ATTRIBUTES = 2_000;
const MAX_SHOWN = 120;

/**
 * Compares all pages and files with the list, and returns what differs.
 * @throws PagesNotReachedError if something could not be fetched and nothing that could be fetched differs
 */
export async function checkPages(options: {
	/** The public URL, without a slash at its end. */
	readonly baseUrl: string;
	readonly list: IntegrityList;
	/** Makes a link to the sample of a page: a path within the public URL. */
	makeLink(name: SampleName): Promise<string>;
	readonly timeoutMs?: number;
}): Promise<PageDifference[]> {
	const { baseUrl, list, makeLink } = options;
	const { origin } = new URL(baseUrl);
	const differences: PageDifference[] = [];
	const notReached: string[] = [];
	const compare = async (of: string, url: string, findAll: (fetched: Fetched) => readonly string[]) => {
		try {
			const fetched = await fetchAll(url, options.timeoutMs ?? TIMEOUT_MS);
			const found = fetched.status === 200 ? findAll(fetched) : [`the answer is ${fetched.status}`];
			for (const what of found) differences.push({ of, what: maskCardNumbers(what) });
		} catch (error) {
			notReached.push(`${of}: ${reasonOf(error)}`);
		}
	};
	for (const page of list.pages) {
		await compare(page.name, baseUrl + (await makeLink(page.name)), (fetched) => pageDifferences(page, fetched));
	}
	for (const { path, integrity, headers } of list.files) {
		await compare(path, origin + path, (fetched) => [
			...headerDifferences(headers, fetched.headers),
			...(integrityOf(fetched.body) === integrity ? [] : ['the content is not that of the list']),
		]);
	}
	if (differences.length === 0 && notReached.length > 0) {
		throw new PagesNotReachedError(`payment pages could not be fetched: ${notReached.join('; ')}`);
	}
	return differences;
}

/**
 * Fetches a URL without following redirects.
 * @throws if there is no answer, or one of a server that could not serve the page now
 */
async function fetchAll(url: string, timeoutMs: number): Promise<Fetched> {
	const { status, headers, body } = await fetch(url, {
		headers: BROWSER,
		redirect: 'manual',
		signal: AbortSignal.timeout(timeoutMs),
	});
	const pieces: Uint8Array[] = [];
	let length = 0;
	for await (const piece of body ?? []) {
		length += piece.length;
		if (length > MAX_BYTES) break;
		pieces.push(piece);
	}
	if (status === 429 || status >= 500) throw new Error(`the answer is ${status}`);
	return { status, headers, body: Buffer.concat(pieces) };
}

function pageDifferences(listed: ListedPage, { headers, body }: Fetched): string[] {
	const [, nonce] = NONCE_SOURCE.exec(headers.get('content-security-policy') ?? '') ?? [];
	const withoutNonce = (text: string) => (nonce === undefined ? text : text.replaceAll(nonce, NONCE));
	const text = withoutNonce(body.toString());
	const found = [
		...headerDifferences(listed.headers, headers, withoutNonce),
		...UNWANTED.filter((name) => !(name in listed.headers) && headers.has(name)).map(
			(name) => `header ${name} is added`,
		),
	];
	if (integrityOf(text) === listed.page) return found;
	const scripts = scriptDifferences(listed, text);
	// Without its policy, a page has no nonce that could be left out of the comparison.
	if (scripts.length > 0) return [...found, ...scripts];
	return nonce === undefined ? found : [...found, 'the page is not that of the list'];
}

function headerDifferences(
	listed: Readonly<Record<string, string>>,
	headers: Headers,
	withoutNonce = (text: string) => text,
): string[] {
	return Object.entries(listed).flatMap(([name, value]) => {
		const found = headers.get(name);
		if (found === null) return [`header ${name} is missing`];
		return withoutNonce(found) === value ? [] : [`header ${name} is not that of the list`];
	});
}

/** Names the scripts of a page that are not on the list, and those of the list that it lacks. */
function scriptDifferences({ scripts }: ListedPage, text: string): string[] {
	const missing = new Set(scripts.map(({ src }) => src));
	const found: string[] = [];
	for (const { attributes, content } of scriptsOf(text)) {
		const attribute = (name: string) => new RegExp(`\\b${name}\\s*=\\s*["']?([^"'\\s>]*)`, 'i').exec(attributes)?.[1];
		const src = attribute('src');
		if (src === undefined) {
			const isData = attribute('type') === 'application/json' && attribute('id') === 'page-data';
			if (!isData && (content.trim() !== '' || attributes !== '')) found.push('a script within the page is added');
			continue;
		}
		const listed = scripts.find((script) => script.src === src);
		if (!listed) found.push(`the script ${shown(src)} is added`);
		else if (!missing.delete(src)) found.push(`the script ${src} is there twice`);
		else if (attribute('integrity') !== listed.integrity) found.push(`the script ${src} has another integrity`);
	}
	return [...found, ...[...missing].map((src) => `the script ${src} is missing`)];
}

/** Yields the scripts of a page. Each character is looked at a few times at most, whatever somebody has put into the page. */
function* scriptsOf(text: string): Generator<{ readonly attributes: string; readonly content: string }> {
	const [begin, end] = [/<script\b/gi, /<\/script\b/gi];
	while (begin.exec(text)) {
		const close = text.indexOf('>', begin.lastIndex);
		const from = close === -1 ? text.length : close;
		end.lastIndex = from;
		const to = end.exec(text)?.index ?? text.length;
		yield {
			attributes: text.slice(begin.lastIndex, Math.min(from, begin.lastIndex + MAX_ATTRIBUTES)).trim(),
			content: text.slice(from + 1, to),
		};
		begin.lastIndex = to;
	}
}

/** Returns an address without its query, in the characters that a log line may have. */
function shown(src: string): string {
	return src
		.replace(/[?#].*/s, '')
		.replace(/[^\x21-\x7e]/g, '?')
		.slice(0, MAX_SHOWN);
}

function reasonOf(error: unknown): string {
	const { cause, message } = error as Error;
	return cause instanceof Error ? `${message} (${(cause as NodeJS.ErrnoException).code ?? cause.message})` : message;
}
