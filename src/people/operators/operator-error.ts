/**
 * The reasons for which a command is refused. `operator-required`: the person did not say who they are.
 * `operator-refused`: they did not prove it, or lack the role. `approval-required`: a second person has to approve the
 * command first. `operators-altered`: the operators or approvals in the database are not those that the audit trail
 * records, so somebody has tampered with them.
 */
export type OperatorReason = 'operator-required' | 'operator-refused' | 'approval-required' | 'operators-altered';

/** This error is thrown if the person may not run a command. It is only shown on the command line. */
export class OperatorError extends Error {
	override readonly name = 'OperatorError';
	readonly reason: OperatorReason;

	constructor(reason: OperatorReason, message: string, options?: ErrorOptions) {
		super(message, options);
		this.reason = reason;
	}
}
