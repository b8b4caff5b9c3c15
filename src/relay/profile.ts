// A profile as the rest of the room knows it: parsed, checked, complete (spec §2.5, shapes §4).

/** What of a card stands at a place. */
export const CARD_PARTS = ['number', 'expiryMonth', 'expiryYear', 'nameOnCard', 'securityCode', 'type'] as const;
export type CardPart = (typeof CARD_PARTS)[number];

export type DateFormat = 'M' | 'MM' | 'YY' | 'YYYY';

/** Where one part of a card stands, relative to its container, and how it is written there. */
export interface PartSelector {
	/** XPath 3.1, JSONPath (RFC 9535), or the name of a form field. */
	readonly path: string;
	/** Of months and years; without one, months are MM and years are read by their length and written YYYY. */
	readonly format?: DateFormat;
	/** Offset and length, in characters, of the part within the text that stands there. */
	readonly substring?: readonly [offset: number, length: number];
	/** Our card type → the third party's. */
	readonly map?: Readonly<Record<string, string>>;
}

/** One place that can hold a card. */
export interface CardSelector extends Readonly<Partial<Record<CardPart, PartSelector>>> {
	/** XPath or JSONPath of what holds a card; the document unless given. A form has one container: the form. */
	readonly container?: string;
	/** Parts without a path are found by the usual names of card fields, directly in the container. */
	readonly names?: 'usual';
}

export type ProfileBody = 'xml' | 'json' | 'form' | 'text';
export type ProfileDirection = 'replace' | 'tokenize' | 'both';

export const HTTP_METHODS = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

export interface Profile {
	readonly name: string;
	readonly description?: string;
	readonly direction: ProfileDirection;
	readonly body: ProfileBody;
	/** Where calls go unless they say otherwise; its host is allowed. */
	readonly targetUri?: string;
	/** Hosts calls may go to besides: `api.example.com` or `*.example.com`. Empty and no targetUri: any public host in the sandbox, none in production (shapes §11). */
	readonly hosts: readonly string[];
	readonly httpMethod: HttpMethod;
	readonly contentType?: string;
	/** Prefix → namespace, for XPath. */
	readonly namespaces: Readonly<Record<string, string>>;
	/** Empty for `text`. */
	readonly cards: readonly CardSelector[];
	/** Header that carries token URIs. */
	readonly tokenHeader: string;
	/** What stands in a tokenized place: the masked number, or the token. */
	readonly inPlace: 'mask' | 'token';
	/** Lets card data stand in the target's address, as placeholders of `text` profiles. */
	readonly cardInUri: boolean;
	/** The third party's own `Authorization`; sealed at rest, shown as stars. */
	readonly authorization?: string;
	/** Client certificate for mutual TLS, PEM; sealed at rest. */
	readonly clientCertificate?: { readonly certificate: string; readonly key: string; readonly passphrase?: string };
	/** PEM of authorities to trust for this target in place of the usual ones. */
	readonly authorities?: string;
}
