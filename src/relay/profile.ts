// Describes a profile that was parsed, checked and completed (spec §2.5, shapes §4).

/** Lists the parts of a card that a selector can find. */
export const CARD_PARTS = ['number', 'expiryMonth', 'expiryYear', 'nameOnCard', 'securityCode', 'type'] as const;
export type CardPart = (typeof CARD_PARTS)[number];

export type DateFormat = 'M' | 'MM' | 'YY' | 'YYYY';

/** Tells where one part of a card is, relative to its container, and how it is written there. */
export interface PartSelector {
	/** The path: XPath 3.1, JSONPath (RFC 9535), or the name of a form field. */
	readonly path: string;
	/** The format of months and years. Without it, months are MM, and years are read by their length and written YYYY. */
	readonly format?: DateFormat;
	/** The part of the text at that place which belongs to the card: its offset and length, in characters. */
	readonly substring?: readonly [offset: number, length: number];
	/** Maps our names of card types to those of the third party. */
	readonly map?: Readonly<Record<string, string>>;
}

/** Describes one place that can hold a card. */
export interface CardSelector extends Readonly<Partial<Record<CardPart, PartSelector>>> {
	/**
	 * The XPath or JSONPath of the element that contains a card; by default the document. A form has one container: the
	 * form.
	 */
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
	/** The default target of calls; its host is allowed. */
	readonly targetUri?: string;
	/**
	 * Further hosts that calls may go to: `api.example.com` or `*.example.com`. If this is empty and there is no
	 * targetUri, any public host is allowed in the sandbox and none in production (shapes §11).
	 */
	readonly hosts: readonly string[];
	readonly httpMethod: HttpMethod;
	readonly contentType?: string;
	/** Maps prefixes to namespaces, for XPath. */
	readonly namespaces: Readonly<Record<string, string>>;
	/** The places that can hold a card; empty for `text`. */
	readonly cards: readonly CardSelector[];
	/** The name of the header that carries token URIs. */
	readonly tokenHeader: string;
	/** Tells what replaces a tokenized number: the masked number, or the token. */
	readonly inPlace: 'mask' | 'token';
	/** Allows card data in the target's URL, as placeholders of `text` profiles. */
	readonly cardInUri: boolean;
	/** The value of the third party's own `Authorization` header, sealed when stored and shown as stars. */
	readonly authorization?: string;
	/** The client certificate for mutual TLS in PEM, sealed when stored. */
	readonly clientCertificate?: { readonly certificate: string; readonly key: string; readonly passphrase?: string };
	/** The certificates of authorities, in PEM, that are trusted for this target instead of the usual ones. */
	readonly authorities?: string;
}
