/**
 * This error is answered with the second form of a 400 (spec §7.2.4), which lists the invalid fields in an object named
 * `errors`, in the format of successful answers. It is used for the payments library, hosted forms, links that show a
 * card, and gateway credentials. It is thrown like a `ServiceError`.
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
