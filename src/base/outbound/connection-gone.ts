/**
 * This error is thrown if a connection closed before a call was sent over it, so that the call may be sent over another
 * connection.
 */
export class ConnectionGone extends Error {
	override readonly name = 'ConnectionGone';
}
