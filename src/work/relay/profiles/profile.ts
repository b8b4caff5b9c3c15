// Describes a profile that was parsed, checked and completed (spec §2.5, shapes §4).

/** Lists the parts of a card that a selector can find. */
export const CARD_PARTS = ['number', 'expiryMonth', 'expiryYear', 'nameOnCard', 'securityCode', 'type'] as const;
export type CardPart = (typeof CARD_PARTS)[number];

export type DateFormat = 'M' | 'MM' | 'YY' | 'YYYY';

/** Tells where one part of a card is, relative to the element that contains the card, and how it is written there. */
export interface PartSelector {
	/** The path: XPath 3.1, JSONPath (RFC 9535), or the name of a form field. */
	readonly path: string;
	/**
	 * The format of a month or a year. If it is absent, a month is written MM, and a year is read with two or four digits
	 * and written YYYY.
	 */
	readonly format?: DateFormat;
	/**
	 * The offset and the length, in characters, of the part within the text to which the path leads. If it is absent, the
	 * part is the whole text.
	 */
	readonly substring?: readonly [offset: number, length: number];
	/** Maps our names of card types to those of the third party. */
	readonly map?: Readonly<Record<string, string>>;
}

/** Describes one entry in the `cards` of a profile: where a body can hold a card. */
export interface CardSelector extends Readonly<Partial<Record<CardPart, PartSelector>>> {
	/** The XPath or JSONPath of the element with a card; by default the document. A form is one container. */
	readonly container?: string;
	/**
	 * If this is set, every part of a card without a path of its own is found by the usual names of card fields, among
	 * the fields directly in the container.
	 */
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
	/** The URL to which calls go by default. The host of this URL need not be listed in `hosts`. */
	readonly targetUri?: string;
	/**
	 * Further hosts that calls may go to: `api.example.com` or `*.example.com`. If this is empty and there is no
	 * targetUri, any public host is allowed in the sandbox and none in production (shapes §11).
	 */
	readonly hosts: readonly string[];
	readonly httpMethod: HttpMethod;
	readonly contentType?: string;
	/** Maps the prefixes that XPath expressions use to namespaces. */
	readonly namespaces: Readonly<Record<string, string>>;
	/** The places that can hold a card; empty for `text`. */
	readonly cards: readonly CardSelector[];
	/** The name of the header in which this service lists the token URIs of the cards that it tokenized. */
	readonly tokenHeader: string;
	/** Tells what replaces the number of a tokenized card in the body: the masked number, or the token. */
	readonly inPlace: 'mask' | 'token';
	/** True if path and query of the target's URL may have placeholders for card data, like `text` bodies. */
	readonly cardInUri: boolean;
	/** The value of the `Authorization` header of calls to the third party. It is stored sealed and shown as stars. */
	readonly authorization?: string;
	/** The client certificate for mutual TLS in PEM, sealed when stored. */
	readonly clientCertificate?: { readonly certificate: string; readonly key: string; readonly passphrase?: string };
	/** The certificates of authorities, in PEM, that are trusted for this target instead of the usual ones. */
	readonly authorities?: string;
}

/** What is needed of a profile to find cards in a body. It has none of its secrets. */
export type SelectorSource = Pick<Profile, 'body' | 'cards' | 'namespaces'>;
