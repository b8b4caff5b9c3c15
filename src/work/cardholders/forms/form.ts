import type { AccountId } from '../../../base/database/ids.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { FormOptions } from './form-options.ts';
import type { FieldProblems } from './judge-fields.ts';
import type { ToldCard } from './stored-card.ts';

/** Describes a form that was opened: for whom it stores a card or a CVV, and its options. */
export interface Form {
	/** The account that opened the form. `ownerId` is the primary account, which owns the card. */
	readonly accountId: AccountId;
	readonly ownerId: AccountId;
	readonly options: FormOptions;
}

export type Submission =
	/** The outcome if there is no form with the submitted id. */
	| { readonly state: 'unknown' }
	/** The outcome if the form accepts no card any more, whatever is typed. */
	| { readonly state: 'over'; readonly form: Form }
	| { readonly state: 'wrong'; readonly form: Form; readonly problems: FieldProblems }
	| {
			readonly state: 'stored';
			readonly form: Form;
			readonly token: Token;
			readonly hasCvv: boolean;
			/** The card; undefined if the form may not show it, because somebody else may have stored it before. */
			readonly card: ToldCard | undefined;
	  };

/** This error undoes the transaction of a submission, because another submission of the same form was faster. */
export class AlreadyStoredError extends Error {
	override readonly name = 'AlreadyStoredError';
}
