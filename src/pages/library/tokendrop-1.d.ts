/** What every form accepts. Every option that is not listed goes into the address of the form as a parameter. */
export interface FormOptions {
	/** The complete address of the form, with its token, as your server made it. */
	url?: string;
	/** The address of the vault; by default the one from which this file was loaded. */
	baseUrl?: string;
	/** A session token that your server has made for this page. */
	sessionToken?: string;
	/** An access token that your server has made. It opens one form. */
	accessToken?: string;
	/** The name of the frame for screen readers. */
	title?: string;
	/** The height of the frame in pixels until the form tells its own. */
	height?: number;
	/** False if the frame keeps its height. */
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
	/** True if the page shows itself what is wrong. */
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
	/** The form can be used. */
	ready: undefined;
	/** All fields are right. */
	valid: undefined;
	/** A field is wrong, or the card could not be stored. */
	invalid: undefined;
	resize: { readonly width: number; readonly height: number };
	/** The card or CVV was stored under this token. */
	token: string;
}

export interface HostedForm {
	readonly frame: HTMLIFrameElement;
	/** Is fulfilled when the form can be used. Fails with the code `not-opened` if it cannot be opened. */
	readonly ready: Promise<void>;
	/** Is fulfilled with the token once the card is stored. Fails with `not-opened` or `destroyed`. */
	readonly token: Promise<string>;
	/** Calls a function at each event. The function that is returned ends this. */
	on<Name extends keyof FormEvents>(name: Name, listener: (detail: FormEvents[Name]) => void): () => void;
	/** Shows what is wrong, and says whether all fields are right. */
	validate(): Promise<boolean>;
	/** Stores the card and gives its token. Fails with the code `invalid` if a field is wrong. */
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
	/** What a form needs to know: operation, amount, card types. */
	// biome-ignore lint/suspicious/noExplicitAny: docs/payments-library.md lists the members
	read(): Promise<any>;
	/** Stores the card, charges it, or both, as the session says. A payment that was refused has the status `failed`. */
	// biome-ignore lint/suspicious/noExplicitAny: docs/payments-library.md lists the members
	carryOut(card: BankCard, options?: { readonly idempotencyKey?: string }): Promise<any>;
}

/** Opens a session of the payments library. The card passes through your page, so prefer `mountCardForm`. */
export function openPaymentSession(options: { readonly baseUrl?: string; readonly token: string }): PaymentSession;

/** What went wrong: `not-opened`, `invalid`, `destroyed`, `no-element`, `network` or `refused`. */
export class TokendropError extends Error {
	readonly code: string;
	/** The status of the answer, if there was one. */
	readonly status?: number;
	/** The fields that are wrong, each with what is wrong with it. */
	readonly errors?: Readonly<Record<string, readonly string[]>>;
}
