/** The options of every form. Options that are not listed here become parameters in the URL of the form. */
export interface FormOptions {
	/** The complete URL of the form, with its token, as your server has created it. */
	url?: string;
	/** The URL of the vault; by default the one from which this file was loaded. */
	baseUrl?: string;
	/** A session token that your server has created for this page. */
	sessionToken?: string;
	/** An access token that your server has created. It opens one form. */
	accessToken?: string;
	/** The name of the frame for screen readers. */
	title?: string;
	/** The height of the frame in pixels, until the form in it reports the height that it needs. */
	height?: number;
	/** False if the frame keeps its height instead of following that of the form. */
	autoResize?: boolean;
	/** The language of the form, as in `de` or `pt-BR`. */
	language?: string;
	/** The name of a style sheet that the operator has stored for the account. */
	brand?: string;
	css?: string;
	removeBaseCss?: boolean;
	autoFocus?: boolean;
	/** True if the form has no button, because the page calls `submit`. */
	submitWithPostMessage?: boolean;
	/** True if your page shows the error messages itself. */
	useCustomValidation?: boolean;
	success?: string;
	failure?: string;
}

export interface CardFormOptions extends FormOptions {
	cvv?: boolean | 'optional';
	autoDetectCardType?: boolean;
	defaultCardType?: string;
	/** Accepted types, separated by commas. */
	cardTypes?: string | readonly string[];
	/** The month in which the card must still be valid, as in `2030-04`. */
	minExpiration?: string;
	expirationMonths?: number;
	showOwnerId?: boolean;
	nameOnCardValidation?: boolean;
	creatorReference?: string;
	eliminateCardDuplication?: boolean;
}

export interface CvvFormOptions extends FormOptions {
	/** The URI or the token of the card; not needed if `url` has it. */
	cardUri?: string;
}

export interface FormEvents {
	/** This event is sent when the form can be used. */
	ready: undefined;
	/** This event is sent when all fields are valid. */
	valid: undefined;
	/** This event is sent when a field is not valid, or the card could not be stored. */
	invalid: undefined;
	resize: { readonly width: number; readonly height: number };
	/** This event is sent when the card or CVV was stored; its detail is the token. */
	token: string;
}

export interface HostedForm {
	readonly frame: HTMLIFrameElement;
	/**
	 * This promise is fulfilled when the form can be used, and rejected with the code `not-opened` if the form cannot be
	 * opened.
	 */
	readonly ready: Promise<void>;
	/**
	 * This promise is fulfilled with the token once the card is stored. It is rejected with the code `not-opened` if the
	 * form cannot be opened, and with `destroyed` if the form is removed before.
	 */
	readonly token: Promise<string>;
	/** Calls the function `listener` at each event of this name, until the function that `on` returns is called. */
	on<Name extends keyof FormEvents>(name: Name, listener: (detail: FormEvents[Name]) => void): () => void;
	/** Shows the error messages of the fields, and returns whether all fields are valid. */
	validate(): Promise<boolean>;
	/** Stores the card and returns its token. Fails with the code `invalid` if a field is not valid. */
	submit(): Promise<string>;
	/** Removes the form from the page. */
	destroy(): void;
}

/** Puts a form for a card into an element, which may be given by its selector. */
export function mountCardForm(element: HTMLElement | string, options: CardFormOptions): HostedForm;

/** Puts a form for the CVV of a stored card into an element. */
export function mountCvvForm(element: HTMLElement | string, options: CvvFormOptions): HostedForm;

export interface BankCard {
	Number: string;
	ExpirationDate: { Month: string; Year: string };
	CVV?: string;
	NameOnCard?: string;
	Type?: string;
}

export interface PaymentSession {
	/** Reads the data for the form of your page: operation, amount, card types. */
	// biome-ignore lint/suspicious/noExplicitAny: docs/payments-library.md lists the members
	read(): Promise<any>;
	/** Stores the card, charges it, or both, as the session says. A payment that was refused has the status `failed`. */
	// biome-ignore lint/suspicious/noExplicitAny: docs/payments-library.md lists the members
	carryOut(card: BankCard, options?: { readonly idempotencyKey?: string }): Promise<any>;
}

/** Opens a session of the payments library. The card passes through your page, so prefer `mountCardForm`. */
export function openPaymentSession(options: { readonly baseUrl?: string; readonly token: string }): PaymentSession;

/**
 * The error that this library throws. Its code is `not-opened`, `invalid`, `destroyed`, `no-element`, `network` or
 * `refused`.
 */
export class TokendropError extends Error {
	readonly code: string;
	/** The HTTP status of the answer, if there was one. */
	readonly status?: number;
	/** The error messages of each field that is not valid. */
	readonly errors?: Readonly<Record<string, readonly string[]>>;
}
