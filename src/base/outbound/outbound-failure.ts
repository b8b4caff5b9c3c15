// Creates the errors for a caller when a third party could not be reached: fixed sentences that contain no text of the
// third party and no address. The cause keeps only the error code, because parser errors contain bytes of the answer.

import { ServiceError } from '../errors.ts';
import { type FailureCode, told } from '../failures.ts';

/** undici's parser throws errors that have this name and no code. */
const PARSER = 'HTTPParserError';
const GONE = 'ConnectionGone';
const HTTP_2 = 'Http2Settings';

const CERTIFICATE_REFUSED = 'the target did not accept the client certificate, or asks for one';
const HANDSHAKE_FAILED = 'the TLS handshake failed';
const TLS_BROKE = 'the TLS connection broke before the answer was complete';
const CLOSED = 'the connection was closed before the answer was complete';
const NO_CONNECTION = 'the connection could not be made';
const ONLY_HTTP_2 = 'the target speaks HTTP/2 only, and calls to third parties are HTTP/1.1';
const FAILED = 'the call failed';
const NOT_TRUSTED = 'the certificate was not issued by a trusted authority';

const sentences: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ECONNRESET: CLOSED,
	EPIPE: CLOSED,
	UND_ERR_SOCKET: CLOSED,
	[GONE]: CLOSED,
	[PARSER]: 'the answer is not HTTP/1.1',
	[HTTP_2]: ONLY_HTTP_2,
	ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: ONLY_HTTP_2,
	'ERR_SSL_TLS/SSL_ALERT_NO_APPLICATION_PROTOCOL': ONLY_HTTP_2,
	EHOSTUNREACH: NO_CONNECTION,
	ENETUNREACH: NO_CONNECTION,
	EADDRNOTAVAIL: NO_CONNECTION,
	EACCES: NO_CONNECTION,
	EPERM: NO_CONNECTION,
	ETIMEDOUT: NO_CONNECTION,
	EMFILE: NO_CONNECTION,
	ENFILE: NO_CONNECTION,
	CERT_HAS_EXPIRED: 'the certificate has expired',
	CERT_NOT_YET_VALID: 'the certificate is not valid yet',
	CERT_REVOKED: 'the certificate has been revoked',
	DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
	SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
	UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
	UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
	UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
	INVALID_PURPOSE: NOT_TRUSTED,
	ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
	ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: CERTIFICATE_REFUSED,
	ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: CERTIFICATE_REFUSED,
	'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE': CERTIFICATE_REFUSED,
	'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_UNKNOWN': CERTIFICATE_REFUSED,
	'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED': CERTIFICATE_REFUSED,
	ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: CERTIFICATE_REFUSED,
	ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: CERTIFICATE_REFUSED,
	ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: CERTIFICATE_REFUSED,
	UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
	UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
};

/** What these sentences are for pages; any other is about the answer. */
const codes: Readonly<Record<string, FailureCode>> = {
	'the connection was refused': 'connection-refused',
	[CLOSED]: 'connection-closed',
	[NO_CONNECTION]: 'connection-not-made',
	'the certificate has expired': 'certificate-not-accepted',
	'the certificate is not valid yet': 'certificate-not-accepted',
	'the certificate has been revoked': 'certificate-not-accepted',
	'the certificate is self-signed': 'certificate-not-accepted',
	'the certificate is for another host': 'certificate-not-accepted',
	[NOT_TRUSTED]: 'certificate-not-accepted',
	[CERTIFICATE_REFUSED]: 'client-certificate-refused',
	[HANDSHAKE_FAILED]: 'tls-failed',
	[TLS_BROKE]: 'tls-failed',
	[FAILED]: 'target-unreachable',
};

/** Turns any failure of a call into the error that its caller gets. */
export function failureOf(error: unknown): ServiceError {
	if (error instanceof ServiceError) return error;
	const code = codeOf(error);
	// With one of these two codes, undici has refused to send the request as the caller wrote it. Other failures are not
	// the caller's fault.
	if (code === 'UND_ERR_INVALID_ARG' || code === 'UND_ERR_NOT_SUPPORTED')
		return new ServiceError('bad-input-data', {
			moreInfo: 'a header, the method or the path cannot be sent',
			cause: bare(code),
		});
	return unreachable(sentenceOf(code), code);
}

/** Returns the error for a third party that cannot be reached or understood; `sentence` is a fixed text of ours. */
export function unreachable(sentence: string, code?: string): ServiceError {
	return new ServiceError('target-unreachable', {
		field: 'targetUri',
		problem: sentence,
		told: told(codes[sentence] ?? 'answer-not-understood'),
		cause: code === undefined ? undefined : bare(code),
	});
}

/**
 * Adds to a failure that happened after a call was sent that the outcome is unknown, because the third party may have
 * acted on the call. A call is sent only after the TLS handshake, so this holds for errors of TLS too. The
 * exceptions are a target that refuses our client certificate: in TLS 1.3 it does so after our side of the handshake is
 * finished, but before it reads the call; and one that speaks HTTP/2 only, which cannot read the call. If the connection
 * has carried an answer before (`hasAnswered`), the target has accepted the certificate and read a call, and the
 * exceptions do not apply.
 */
export function afterSending(error: ServiceError, hasAnswered: boolean): ServiceError {
	const { reason, said, cause } = error;
	if (reason !== 'target-unreachable') return error;
	if (!hasAnswered && (said.problem === CERTIFICATE_REFUSED || said.problem === ONLY_HTTP_2)) return error;
	const sentence = said.problem === HANDSHAKE_FAILED ? { field: 'targetUri', problem: TLS_BROKE } : said;
	return new ServiceError(reason, { ...sentence, told: error.told, cause, isOutcomeUnknown: true });
}

function sentenceOf(code: string): string {
	if (Object.hasOwn(sentences, code)) return sentences[code];
	if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code === 'EPROTO') return HANDSHAKE_FAILED;
	return FAILED;
}

function codeOf(error: unknown): string {
	const { code, name, data } = (error ?? {}) as { code?: unknown; name?: unknown; data?: unknown };
	if (name === PARSER && typeof data === 'string' && isSettingsFrame(data)) return HTTP_2;
	if (name === PARSER || name === GONE) return name;
	return typeof code === 'string' && code !== '' ? code : 'UNKNOWN';
}

function bare(code: string): Error {
	return Object.assign(new Error(code), { code });
}

/** A server of HTTP/2 begins with a frame of settings, whatever it was sent (RFC 9113 §3.4): length, type 4, no flags. */
function isSettingsFrame(data: string): boolean {
	return data.startsWith('\0') && data.startsWith('\x04\0', 3);
}
