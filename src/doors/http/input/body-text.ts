// Decodes the bytes of a request body as text. Nothing is repaired silently: bytes that are not valid text are refused.

import { ServiceError } from '../../../base/errors.ts';

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]+)"?/i;
const DECLARED_ENCODING = /^(?:\xef\xbb\xbf)?<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;
/** An XML declaration is searched for in this many bytes at the start of a body, because it is never longer. */
const DECLARATION_BYTES = 200;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a body with the charset of its content type, or else of its XML declaration, or else as UTF-8. A byte order
 * mark is removed.
 * @throws ServiceError `message-malformed`
 */
export function decodeBody(bytes: Buffer, contentType = ''): string {
	const charset = CHARSET.exec(contentType)?.[1] ?? declaredEncoding(bytes) ?? 'utf-8';
	const decoder = decoderOf(charset);
	try {
		return decoder.decode(bytes);
	} catch {
		throw new ServiceError('message-malformed', {
			field: 'body',
			problem: 'bytes that are not text in its character set',
		});
	}
}

function decoderOf(charset: string): Pick<typeof utf8, 'decode'> {
	if (charset.toLowerCase() === 'utf-8') return utf8;
	try {
		return new TextDecoder(charset, { fatal: true });
	} catch {
		throw new ServiceError('message-malformed', { field: 'Content-Type', problem: 'unknown charset' });
	}
}

/**
 * Returns the encoding that a body declares. In UTF-16 the declaration cannot be read before the encoding is known, so
 * the byte order mark decides, which XML requires for UTF-16.
 */
function declaredEncoding(bytes: Buffer): string | undefined {
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
	return DECLARED_ENCODING.exec(bytes.toString('latin1', 0, DECLARATION_BYTES))?.[1];
}
