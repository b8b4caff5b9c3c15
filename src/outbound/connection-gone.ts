/**
 * This error is thrown if the connection closed before the call was sent, so that the call may be sent over another
 * one.
 */
export class ConnectionGone extends Error {
	override readonly name = 'ConnectionGone';
}
