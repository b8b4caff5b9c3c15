// Defines what a page of the portal is. Each page is a row that says who may open it, and a function that answers.

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Asset } from '../../../base/pages/assets.ts';
import type { Html } from '../../../base/pages/html.ts';
import type { Right } from '../../../people/portal-users/rights.ts';
import type { Viewer } from '../../../people/portal-users/viewer.ts';
import type { Section } from './sections.ts';
import type { SessionCheck } from './session-check.ts';
import type { PortalLanguage, Say } from './texts.ts';

/** The request for a page, in the form in which the function that answers it gets it. */
export interface OpenCall {
	/** The user who is signed in; undefined if nobody is. */
	readonly viewer: Viewer | undefined;
	readonly params: Readonly<Record<string, string>>;
	/** The query parameters, with their names in lower case. */
	readonly query: Readonly<Record<string, string>>;
	/** The fields of a form that was posted. Its CSRF token is checked already. */
	readonly form: Readonly<Record<string, string>>;
	readonly say: Say;
	readonly language: PortalLanguage;
	/** The random text that allows scripts and styles of this answer and no others. */
	readonly nonce: string;
	/**
	 * The path of our public URL, which scripts put before the paths that they request. Links in markup get it
	 * automatically.
	 */
	readonly basePath: string;
	/** True if a page asks for a part of itself (`live/live-part.ts`), so that the answer is a fragment. */
	readonly isPart: boolean;
	/** True if the page is to take the place of the one that is shown, in the same document. */
	readonly isWalk: boolean;
	/** Returns what checks again and again, in a long answer, that the session is open and has a right (`session-check.ts`). */
	checkSession(right: Right): SessionCheck;
	readonly request: FastifyRequest;
	readonly reply: FastifyReply;
}

export interface PortalCall extends OpenCall {
	readonly viewer: Viewer;
}

export interface ShownPage {
	readonly title: string;
	/** The section that the navigation marks; absent for pages that belong to none. */
	readonly section?: Section;
	readonly body: Html;
	/** The data for the scripts of the page, which find it in the element with the id `page-data`. */
	readonly data?: unknown;
	readonly scripts?: readonly Asset[];
	/** A style sheet besides that of the portal. */
	readonly style?: string;
	/** The path of the documentation of the page, such as `/docs/portal#files`. */
	readonly help: string;
}

export type PortalAnswer =
	/** A page; `shownTo` is the viewer in the session that the call has opened, whose token the forms of the page need. */
	| { readonly page: ShownPage; readonly status?: number; readonly shownTo?: Viewer }
	/** A fragment that replaces a part of a page. */
	| { readonly fragment: Html; readonly status?: number }
	/** A redirect to a path of the portal. `notice` is a message that the page at that path shows at its top. */
	| { readonly redirectTo: string; readonly notice?: string }
	/** Any other response, such as a file or JSON. */
	| { send(reply: FastifyReply): unknown };

interface PageRow {
	readonly path: `/portal${string}`;
	readonly method: 'GET' | 'POST';
	/**
	 * True if the page reads the body as a stream. The CSRF token is then in the header `X-CSRF-Token`, unless
	 * `hasTokenInBody` is true.
	 */
	readonly isStreamed?: boolean;
	/** True if the answer is read while it is written, so that each piece of it is sent at once. */
	readonly isFlushed?: boolean;
	/** True if the CSRF token is in the streamed body, so that the page itself checks it before it does anything. */
	readonly hasTokenInBody?: boolean;
}

/** A page for people who are signed in. */
export interface PortalPage extends PageRow {
	readonly right: Right | 'signed-in';
	/**
	 * True if the page needs the password or a second factor, shown a short time before. Forms that change who gets in need it
	 * in any case (`RIGHTS_WITH_PROOF`).
	 */
	readonly needsProof?: boolean;
	handle(call: PortalCall): Promise<PortalAnswer>;
}

/** A page for everybody, such as the sign-in page. */
export interface OpenPage extends PageRow {
	readonly right: 'anyone';
	readonly needsProof?: false;
	handle(call: OpenCall): Promise<PortalAnswer>;
}

export type AnyPage = PortalPage | OpenPage;

/** Makes the row of a page, given its path, who may open it, and the function that answers. */
function rowsOf(method: PageRow['method']) {
	type Guarded = Omit<PortalPage, 'path' | 'method' | 'handle'>;
	function row(path: PageRow['path'], who: 'anyone', handle: OpenPage['handle']): OpenPage;
	function row(path: PageRow['path'], who: PortalPage['right'] | Guarded, handle: PortalPage['handle']): PortalPage;
	function row(path: PageRow['path'], who: AnyPage['right'] | Guarded, handle: PortalPage['handle']) {
		return { path, method, handle, ...(typeof who === 'string' ? { right: who } : who) } as AnyPage;
	}
	return row;
}

export const get = rowsOf('GET');
export const post = rowsOf('POST');
