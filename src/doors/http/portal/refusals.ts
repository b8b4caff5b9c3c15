/** This error means that the role of the viewer does not include the right that the request needs. */
export class ForbiddenError extends Error {
	override readonly name = 'ForbiddenError';
}

/** This error means that the request was not sent by a page of ours in this session. */
export class ForgedError extends Error {
	override readonly name = 'ForgedError';
}

/** This error means that the session ended while the body of the request was received. */
export class SessionEndedError extends Error {
	override readonly name = 'SessionEndedError';
}
