/**
 * `operator-required`: nobody said who they are. `operator-refused`: not proven, or not their role.
 * `approval-required`: a second person has to approve first. `operators-altered`: rows that the trail does not bear out.
 */
export type OperatorReason = 'operator-required' | 'operator-refused' | 'approval-required' | 'operators-altered';

/** A command may not be run by whoever runs it. Told on the command line alone. */
export class OperatorError extends Error {
	override readonly name = 'OperatorError';
	readonly reason: OperatorReason;

	constructor(reason: OperatorReason, message: string, options?: ErrorOptions) {
		super(message, options);
		this.reason = reason;
	}
}
