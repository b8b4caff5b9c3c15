/**
 * This error answers with the second form of a 400 (spec §7.2.4): the payments library, the display of a card with a
 * one-time password, and gateway credentials list the invalid fields in an object named `errors`, in the format of
 * successful answers. It is thrown like a `ServiceError`.
 */
export class FieldErrors extends Error {
	override readonly name = 'FieldErrors';
	/** The problems of each field, by its name. They never contain the content of the field. */
	readonly errors: Readonly<Record<string, readonly string[]>>;

	constructor(errors: Readonly<Record<string, readonly string[]>>) {
		super(`invalid fields: ${Object.keys(errors).join(', ')}`);
		this.errors = errors;
	}
}
