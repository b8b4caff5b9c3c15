// Defines the options of a form: the data that it requests, and the look of its page.

import type { CardType } from '../../../base/card/brand.ts';
import type { Expiry } from '../../../base/card/expiry.ts';
import type { Token } from '../../../vault/tokens/token.ts';

/** What a form's page shows, and the page with which it exchanges messages. None of this changes the stored card. */
export interface FormView {
	readonly language: string;
	/** True if page and URL after success show nothing of a stored card, because the caller may not see it. */
	readonly hidesCard?: boolean;
	/** The name of a style sheet of the account, which the operator has stored. */
	readonly brand?: string;
	/** The text of a style sheet that the caller has sent for this form. */
	readonly css?: string;
	readonly removesBaseCss?: boolean;
	readonly autoFocuses?: boolean;
	/** True if the form has no button, because the page around it sends the message `submit`. */
	readonly hasNoButton?: boolean;
	/** True if the form shows no error messages, because the page around it shows them. */
	readonly tellsNoProblems?: boolean;
	/** The origin of the page around the form, with which it exchanges messages. */
	readonly messageOrigin?: string;
	/** The text by which the page around the form recognises the messages of this form. */
	readonly nonce?: string;
	/** Where the browser goes after the card was stored. It may contain placeholders, for example for the token. */
	readonly success?: string;
	/** Where the browser goes if no card can be stored, whatever is typed, as when the allowance is used up. */
	readonly failure?: string;
}

export interface CardFormOptions {
	readonly kind: 'card';
	readonly cvv: 'required' | 'optional' | 'absent';
	/** True if the form derives the card type from the number; otherwise the cardholder chooses it from a list. */
	readonly detectsType: boolean;
	/** The type of a card whose number does not show its type, and the first choice in the list of types. */
	readonly defaultType?: CardType;
	/** The types that are accepted; all if absent. */
	readonly types?: readonly CardType[];
	/** The card must still be valid in this month. */
	readonly minExpiry?: Expiry;
	readonly asksOwnerId: boolean;
	/** True if the cardholder must type a name, which is checked to look like one. */
	readonly checksName: boolean;
	readonly reference?: string;
	readonly eliminatesDuplicates: boolean;
	/** False if no CVV is kept, even if the account may keep one. */
	readonly savesCvv?: boolean;
	readonly view: FormView;
}

export interface CvvFormOptions {
	readonly kind: 'cvv';
	readonly token: Token;
	readonly view: FormView;
}

export type FormOptions = CardFormOptions | CvvFormOptions;
