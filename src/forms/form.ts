import type { AccountId } from '../database/ids.ts';
import type { Token } from '../vault/token.ts';
import type { FieldProblems } from './card-fields.ts';
import type { FormOptions } from './form-options.ts';

/** A form as its page knows it. */
export interface Form {
	/** The user who opened the form, and the account whose card it stores. */
	readonly accountId: AccountId;
	readonly ownerId: AccountId;
	readonly options: FormOptions;
}

/** The outcome of a submission. */
export type Submission =
	/** There is no such form. */
	| { readonly state: 'unknown' }
	/** The form can no longer be submitted, whatever is typed. */
	| { readonly state: 'over'; readonly form: Form }
	| { readonly state: 'wrong'; readonly form: Form; readonly problems: FieldProblems }
	| { readonly state: 'stored'; readonly form: Form; readonly token: Token; readonly hasCvv: boolean };

/** This error undoes the transaction of a submission, because another submission of the same form was faster. */
export class AlreadyStoredError extends Error {
	override readonly name = 'AlreadyStoredError';
}
