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

/** The fields of a form. A form has those for which it was opened; `cardType` is also the choice between two brands. */
export type FieldName = 'cardNumber' | 'cardType' | 'expiry' | 'cvv' | 'nameOnCard' | 'ownerId';

export interface FieldProblem {
	/** What is wrong, for programs: `required`, `numberShort`, `expired` and so on. docs/forms.md lists all. */
	readonly reason: string;
	/** What is wrong, in the language of the form. */
	readonly text: string;
}

/** The card that was stored. The form leaves all but the token out if the credential may not see the card. */
export interface StoredCard {
	readonly token: string;
	readonly cardType?: string;
	/** The masked number, as in `411111******1111`. */
	readonly cardNumber?: string;
	/** The expiry, as in `12/2030`. */
	readonly expiration?: string;
}

/** What may change while a form is open. */
export interface FormUpdate {
	/** True if nobody can type. */
	disabled?: boolean;
	useCustomValidation?: boolean;
	submitWithPostMessage?: boolean;
	/** The brands between which the holder of the card that is typed may choose; the first one is chosen at first. */
	brands?: readonly string[];
}

export interface FormEvents {
	/** This event is sent when the form can be used. */
	ready: undefined;
	/** This event is sent when all fields are valid. */
	valid: undefined;
	/** This event is sent when a field is not valid, or the card could not be stored. */
	invalid: {
		readonly problems: readonly (FieldProblem & { readonly field: FieldName })[];
		/** What went wrong apart from the fields: `network`, `busy`, `session` or `refused`. */
		readonly failure: FieldProblem | null;
	};
	/** This event is sent when the content of a field has changed. */
	change: {
		readonly field: FieldName;
		readonly empty: boolean;
		/** True if the field is valid as it is. */
		readonly complete: boolean;
		/** The problem that the form shows, or would show without `useCustomValidation`. */
		readonly problem: FieldProblem | null;
	};
	focus: { readonly field: FieldName };
	blur: { readonly field: FieldName };
	/** This event is sent when something has changed that the number tells. */
	brand: {
		/** The chosen brand, or that of the number; `Unspecified` as long as it is not known. */
		readonly brand: string;
		/** The brands between which the holder of the card may choose; empty if there is no choice. */
		readonly brands: readonly string[];
		/** The first six digits, of a complete number of 16 digits or more the first eight; null before there are six. */
		readonly bin: string | null;
		/** The last four digits; null as long as the number is not complete. */
		readonly lastFour: string | null;
		/** True if the number is valid. */
		readonly complete: boolean;
	};
	resize: { readonly width: number; readonly height: number };
	/** This event is sent when the card or CVV was stored; its detail is the token. */
	token: string;
	/** This event is sent after `token`. */
	stored: StoredCard;
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
	/** This promise is fulfilled and rejected like `token`, and also has the type, the masked number and the expiry. */
	readonly stored: Promise<StoredCard>;
	/** Calls the function `listener` at each event of this name, until the function that `on` returns is called. */
	on<Name extends keyof FormEvents>(name: Name, listener: (detail: FormEvents[Name]) => void): () => void;
	/** Shows the error messages of the fields, and returns whether all fields are valid. */
	validate(): Promise<boolean>;
	/** Stores the card and returns its token. Fails with the code `invalid` if a field is not valid. */
	submit(): Promise<string>;
	/** Puts the cursor into a field, or into the first one. */
	focus(field?: FieldName): Promise<void>;
	/** Makes the fields empty. */
	clear(): Promise<void>;
	/** Changes the form while it is open. */
	update(options: FormUpdate): Promise<void>;
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
	/** Why a valid card was not stored: `network`, `busy`, `session` or `refused`. */
	readonly failure?: string;
}
